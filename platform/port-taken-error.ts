interface TakenPorts {
  readonly host: string;
  /** The first one that was tried. */
  readonly port: number;
  readonly attempts: number;
}

/** No port of those asked for is free. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';

  constructor({ host, port, attempts }: TakenPorts, options: ErrorOptions) {
    const ports = attempts === 1 ? `port ${port}` : `each port from ${port} to ${port + attempts - 1}`;
    super(`${ports} on ${host} is already in use`, options);
  }
}
