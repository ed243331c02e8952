/** Pairs of servers that ought to do the same with the same bytes: one with its fast path, the other without. */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultOverloadLimits } from '../../http/server/overload/limits.ts';
import { createOverload } from '../../http/server/overload/overload.ts';
import { memberPaths, serverOptions } from '../../http/server/server-options.ts';
import { loadMemberConfig } from '../../member/config/load.ts';
import { startMember } from '../../member/member.ts';
import { guardConnections } from '../../member-proxy/connection-guard.ts';
import { defaultLimits } from '../../member-proxy/limits.ts';
import { createMembers } from '../../member-proxy/members/members.ts';
import { createMemberProxy } from '../../member-proxy/proxy.ts';
import { oneCaller } from '../peers/one-caller.ts';

export interface Target {
  readonly port: number;
  /** Written alone, before the rest: whoever reads on from there is Node's server. */
  readonly isSplit: boolean;
  /** What has been carried out since the last time it was asked. */
  effects(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface Pair {
  readonly name: string;
  readonly targets: readonly [withFastPath: Target, without: Target];
}

export async function startPairs(): Promise<readonly Pair[]> {
  const proxies = await Promise.all([startProxy(true), startProxy(false)]);
  const members = await Promise.all([startOwnMember(false), startOwnMember(true)]);
  return [
    { name: 'proxy', targets: [proxies[0]!, proxies[1]!] },
    { name: 'member', targets: [members[0]!, members[1]!] },
  ];
}

/** The proxy in front of a member that records. Everybody counts as one administrator: tokens are not what is looked at. */
async function startProxy(hasFastPath: boolean): Promise<Target> {
  const seen: string[] = [];
  const recorder = createServer({ keepAliveTimeout: 60_000 }, async (req, res) => {
    let body = '';
    try {
      for await (const chunk of req) body += (chunk as Buffer).toString('latin1');
    } catch {
      return;
    }
    const { 'content-type': type = '' } = req.headers;
    seen.push(`${req.method} ${req.url} ${type} ${shown(body)}`);
    res.end('ok');
  });
  const limits = { ...defaultLimits, bodyStallMs: 1_000 };
  const proxy = createMemberProxy({
    bearer: oneCaller(),
    members: createMembers({
      addresses: [`http://127.0.0.1:${await listen(recorder)}`],
      prefix: 'svc',
      limits,
      now: () => performance.now(),
    }),
    credentials: { username: 'dev', password: '' },
    limits,
    log: { warn: () => undefined, error: (fields) => console.error(fields) },
    now: () => performance.now(),
    onDenial: () => 'decision',
    requestIdOf: () => randomUUID(),
  });
  const overload = createOverload({
    limits: defaultOverloadLimits,
    kindOf: () => 'call',
    sourceOfConnection: ({ remoteAddress }) => remoteAddress,
    sourceOfRequest: () => '',
    now: () => performance.now(),
  });
  const server = createServer(serverOptions, overload.scheduled(proxy.handle));
  const guard = guardConnections(server, { onDenial: () => 'decision' });
  server.on('checkExpectation', overload.scheduled(guard.rejectExpectation));
  overload.watch(server, hasFastPath ? memberPaths : undefined, guard);
  return {
    port: await listen(server),
    isSplit: false,
    effects: async () => seen.splice(0),
    async close() {
      for (const each of [server, recorder]) each.closeAllConnections();
      server.close();
      await proxy.close();
      recorder.close();
    },
  };
}

const configuration = `
svc:
  network:
    rest-api: { enabled: true, endpoint-groups: { DATA: { enabled: true } } }
`;

async function startOwnMember(isSplit: boolean): Promise<Target> {
  const member = await startMember({
    config: loadMemberConfig(configuration, { file: 'fuzz.yaml' }),
    host: '127.0.0.1',
    port: 0,
  });
  const call = async (method: string, path: string) => {
    const reply = await fetch(`${member.address}/svc/rest/${path}`, { method });
    return `${path} ${reply.status} ${await reply.text()}`;
  };
  return {
    port: Number(new URL(member.address).port),
    isSplit,
    async effects() {
      const state = [await call('GET', 'maps/m/k'), await call('GET', 'queues/q/size')];
      await call('DELETE', 'maps/m');
      for (let polled = '200'; polled.includes(' 200 ') || polled === '200'; )
        polled = await call('DELETE', 'queues/q/0');
      return state;
    },
    close: () => member.close(),
  };
}

/** A long body by its length and a digest. */
function shown(body: string): string {
  const digest = () => createHash('sha256').update(body, 'latin1').digest('hex').slice(0, 8);
  return body.length > 200 ? `${body.length} bytes, ${digest()}` : JSON.stringify(body);
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
