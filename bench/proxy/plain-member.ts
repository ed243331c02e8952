import { peer, type ServerProcess, type Servers } from '../servers.ts';

/** @param port  0 for any */
export function startPlainMember(servers: Servers, name: string, port = 0): Promise<ServerProcess> {
  return servers.start({
    name,
    args: peer('plain-member.ts'),
    env: { PORT: `${port}` },
    ready: /ready at (\S+)/,
  });
}
