import { type Listening, type ListenOptions, listen } from './server/listen.ts';
import { onlyManagement } from './server/management-port.ts';
import { createConsoleOverload } from './server/overload.ts';
import type { Settings } from './settings/settings.ts';

export interface PortDeps extends Pick<ListenOptions, 'handle' | 'overload' | 'onDenial'> {
  readonly settings: Settings;
}

/** Those of the settings: for all, and for whoever watches over the process. */
export interface Ports {
  readonly server: Listening;
  readonly management: Listening | undefined;
}

/** @throws {ListenError} */
export async function openPorts({ settings, handle, overload, onDenial }: PortDeps): Promise<Ports> {
  const { host, tls, port, managementPort, httpHeadSeconds } = settings;
  const shared = { host, tls, headMs: httpHeadSeconds * 1000, onDenial };
  const server = await listen({ ...shared, port, handle, overload });
  if (managementPort === undefined) return { server, management: undefined };
  try {
    const management = await listen({
      ...shared,
      port: managementPort,
      portSetting: 'CONSOLE_MANAGEMENT_PORT',
      handle: onlyManagement(handle),
      overload: createConsoleOverload(settings),
    });
    return { server, management };
  } catch (error) {
    await server.close(0);
    throw error;
  }
}
