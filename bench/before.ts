/**
 * The hot paths of this checkout beside those of another one, which `BENCH_BEFORE` names: built, with its
 * dependencies, such as `git worktree add ../before <commit>` makes it. A change is not to cost more than
 * a twentieth. `BENCH_CALLS` holds the beginning of the names of the calls to measure, all of them unless given.
 */
import { existsSync } from 'node:fs';
import { createDataDirs, type DataDirs, startConsole } from './console.ts';
import { type Benchmark, type Cell, cell, measure, ratio, sampleColumns, samplesTable } from './harness.ts';
import { httpRequest, load } from './load.ts';
import { createMemberDir, startMember as startOwnMember } from './member/servers.ts';
import { clientId, clientSecret } from './peers/common.ts';
import { startMember, valuePath } from './proxy/member.ts';
import { startOwnProxy } from './proxy/own.ts';
import { makeKey, signToken, type TokenKey } from './proxy/tokens.ts';
import { createServers, type ServerProcess, type Servers } from './servers.ts';

const value = 'v'.repeat(100);
/** Short, so that the two of a pair run under the same conditions; `--rounds 40` evens out what is left. */
const secondsPerCell = 0.4;
/** Until its code is compiled as well as it is going to be: 3 s each. */
const warmUps = 8;
const queuePath = '/svc/rest/queues/bench';
const entryPath = '/svc/rest/maps/bench/100';

interface Call {
  readonly name: string;
  readonly connections: number;
  readonly request: Buffer;
  readonly server: (side: Side) => ServerProcess;
}

/** What one checkout runs. */
interface Side {
  readonly proxy: ServerProcess;
  readonly member: ServerProcess;
  readonly console: ServerProcess;
}

export const benchmark: Benchmark = {
  name: 'before',
  async run({ rounds, nodeBinary }) {
    const before = process.env.BENCH_BEFORE;
    if (before === undefined || !existsSync(`${before}/dist/console/main.js`)) {
      throw new Error('BENCH_BEFORE has to name the root of another checkout that is built');
    }
    using dataDirs = createDataDirs();
    using memberDir = createMemberDir();
    await using servers = createServers({ nodeBinary });
    const key = makeKey();
    const common = {
      members: (await startMember(servers, value)).url,
      key,
      dataDirs,
      memberDir: memberDir.path,
    };
    const sides = {
      before: await startSide(servers, { ...common, name: 'before', checkout: before }),
      now: await startSide(servers, { ...common, name: 'now', checkout: undefined }),
    };
    const calls = callsOf(
      `Bearer ${await signToken(key)}`,
      `Bearer ${await askToken(sides.now.console.url)}`,
      {
        before: `Bearer ${await askToken(sides.before.console.url)}`,
      },
    );
    const pairs = calls.map((call) => ({
      name: call.name,
      before: cellOf(call, 'before', sides.before),
      now: cellOf(call, 'now', sides.now),
    }));
    const cells = pairs.flatMap((pair) => [pair.before, pair.now]);
    for (const each of cells) for (let time = 0; time < warmUps; time += 1) await each.run();
    const samples = await measure(cells, { rounds });
    return {
      title: `This checkout beside ${before.split('/').at(-1)}`,
      columns: ['call', 'checkout', 'connections', ...sampleColumns],
      rows: samplesTable(cells, samples),
      ratios: pairs.map((pair) =>
        ratio(`${pair.name}: now / before, by processor time`, samples, {
          of: pair.now,
          to: pair.before,
          figure: 'cpuRate',
          atLeast: 0.95,
        }),
      ),
    };

    function cellOf({ name, connections, request, server }: Call, side: 'before' | 'now', of: Side): Cell {
      const own = side === 'before' ? (calls.find((one) => one.name === name)?.former ?? request) : request;
      const process = server(of);
      return cell(process, [name, side, `${connections}`], () =>
        load({ url: process.url, request: own, connections, seconds: secondsPerCell }),
      );
    }
  },
};

interface SideOptions {
  readonly name: 'before' | 'now';
  readonly checkout: string | undefined;
  readonly members: string;
  readonly key: TokenKey;
  readonly dataDirs: DataDirs;
  readonly memberDir: string;
}

async function startSide(
  servers: Servers,
  { name, checkout, members, key, dataDirs, memberDir }: SideOptions,
): Promise<Side> {
  const side = {
    proxy: await startOwnProxy(servers, { name: `proxy, ${name}`, members: [members], key, checkout }),
    member: await startOwnMember(servers, memberDir, { name: `member, ${name}`, checkout }),
    console: await startConsole(servers, {
      name: `console, ${name}`,
      dataDir: dataDirs.path(name),
      checkout,
      env: { CONSOLE_MEMBERS: members, CONSOLE_MEMBER_PREFIX: 'svc' },
    }),
  };
  await fetch(side.member.url + entryPath, { method: 'POST', body: value });
  return side;
}

/** @param proxied  for the bare proxies, which know one key; @param now  of this checkout's console */
function callsOf(proxied: string, now: string, { before }: { readonly before: string }) {
  const get = httpRequest('GET', valuePath, { authorization: proxied });
  const credentials = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
  const form = { ...credentials, 'content-type': 'application/x-www-form-urlencoded' };
  const write = (authorization: string) => httpRequest('POST', valuePath, { authorization }, value);
  const read = (authorization: string) => httpRequest('GET', valuePath, { authorization });
  const calls: readonly (Call & { readonly former?: Buffer })[] = [
    { name: 'proxy GET at 64', connections: 64, request: get, server: ({ proxy }) => proxy },
    { name: 'proxy GET at 1', connections: 1, request: get, server: ({ proxy }) => proxy },
    {
      name: 'console GET at 64',
      connections: 64,
      request: read(now),
      former: read(before),
      server: ({ console }) => console,
    },
    {
      name: 'console POST at 64',
      connections: 64,
      request: write(now),
      former: write(before),
      server: ({ console }) => console,
    },
    {
      name: 'token at 16',
      connections: 16,
      request: httpRequest('POST', '/oauth2/token', form, 'grant_type=client_credentials&scope=app:Viewer'),
      server: ({ console }) => console,
    },
    ...(['GET', 'POST'] as const).map((method) => ({
      name: `member ${method} at 64`,
      connections: 64,
      request: httpRequest(method, entryPath, {}, method === 'POST' ? value : ''),
      server: ({ member }: Side) => member,
    })),
    {
      name: 'member offer at 64',
      connections: 64,
      request: httpRequest('POST', queuePath, {}, value),
      server: ({ member }) => member,
    },
    {
      name: 'member poll at 64',
      connections: 64,
      request: httpRequest('DELETE', `${queuePath}/0`),
      server: ({ member }) => member,
    },
  ];
  return calls.filter(({ name }) => name.startsWith(process.env.BENCH_CALLS ?? ''));
}

async function askToken(url: string): Promise<string> {
  const reply = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  if (!reply.ok) throw new Error(`no token: ${reply.status} ${await reply.text()}`);
  return ((await reply.json()) as { readonly access_token: string }).access_token;
}
