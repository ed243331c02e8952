import type { Server } from 'node:http';
import type { MemberConfig, PortConfig } from './config/config.ts';
import { listenOnFreePort, listenQuietly, portOf } from './listen.ts';

/** The ports of a member that listens. */
export interface Ports {
  /** Answers REST, where it is on. */
  readonly server: Server;
  /** What the member's address names: the port of `server`, or one at which nothing answers. */
  readonly memberPort: number;
  /** Closes the port at which nothing answers, if there is one. */
  closeQuietPort(): void;
}

/**
 * Opens the member's port and, when REST has a listener of its own (advanced network), that one too.
 * Then the member's port is taken and accepts, but closes each connection without a byte, as the real
 * engine's closes one that does not speak its protocol.
 *
 * @param port  overrides the configured port of the member; 0 takes any free one
 * @throws {PortTakenError} when all of the ports that one of them may have are taken
 */
export async function openPorts(
  { port: memberPort, rest }: Pick<MemberConfig, 'port' | 'rest'>,
  host: string,
  port: number = memberPort.port,
): Promise<Ports> {
  const own = attempts(host, { ...memberPort, port });
  if (rest.listener === undefined) {
    const server = await listenOnFreePort(own);
    return { server, memberPort: portOf(server), closeQuietPort() {} };
  }
  const quiet = await listenQuietly(own);
  try {
    const server = await listenOnFreePort(attempts(host, rest.listener));
    return { server, memberPort: portOf(quiet), closeQuietPort: () => void quiet.close() };
  } catch (error) {
    quiet.close();
    throw error;
  }
}

function attempts(host: string, { port, autoIncrement, portCount }: PortConfig) {
  return { host, port, attempts: autoIncrement && port !== 0 ? portCount : 1 };
}
