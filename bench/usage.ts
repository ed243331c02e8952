/** What it costs to count who uses what: the counting alone, and consoles with and without it. */

import { openStorage } from '../console/storage/embedded/open.ts';
import type { ClientRecord } from '../console/storage/records.ts';
import { createUsage } from '../console/usage/usage.ts';
import { createUsageCounter } from '../console/usage/usage-counter.ts';
import type { UsageRow } from '../console/usage/usage-row.ts';
import { createWhatIf } from '../console/usage/what-if.ts';
import { ruleTable } from '../member-proxy/authorization/rule-table.ts';
import type { UsedCall } from '../member-proxy/proxy.ts';
import { createDataDirs, startConsole } from './console.ts';
import {
  type Benchmark,
  type Cell,
  cell,
  measure,
  type Ratio,
  ratio,
  sampleColumns,
  samplesTable,
} from './harness.ts';
import { httpRequest, load } from './load.ts';
import { createServers, type ServerProcess } from './servers.ts';
import { spread } from './statistics.ts';
import { tokenPath, tokenRequest } from './token.ts';

const connections = 64;
const secondsPerCell = 1;
const calls = 100_000;
/** Of a question, until its code is compiled. */
const warmUps = 20;

export const benchmark: Benchmark = {
  name: 'usage',
  async run({ rounds, nodeBinary }) {
    using dataDirs = createDataDirs();
    await using servers = createServers({ nodeBinary });
    const start = (name: string, days: string) =>
      startConsole(servers, { name, dataDir: dataDirs.path(name), env: { CONSOLE_USAGE_DAYS: days } });
    const [counting, silent] = [await start('counting', '90'), await start('not counting', '0')];
    const cells: Cell[] = [];
    for (const server of [counting, silent]) {
      cells.push(await mapCell(server), tokenCell(server));
    }
    const [map, token, mapWithout, tokenWithout] = cells as [Cell, Cell, Cell, Cell];
    const samples = await measure(cells, { rounds });
    return {
      title: 'Counting who uses what',
      columns: ['server', 'calls', ...sampleColumns],
      rows: samplesTable(cells, samples),
      ratios: [
        countingAlone(rounds),
        ...(await whatIf(rounds, dataDirs.path('what-if'))),
        ratio('counting / not, proxied read', samples, {
          of: map,
          to: mapWithout,
          figure: 'cpuRate',
          atLeast: 0.97,
        }),
        ratio('counting / not, token', samples, {
          of: token,
          to: tokenWithout,
          figure: 'cpuRate',
          atLeast: 0.97,
        }),
      ],
      notes: ['The member is embedded, so that its work is in the processor time of both.'],
    };
  },
};

async function mapCell(server: ServerProcess): Promise<Cell> {
  const { headers, body } = tokenRequest('RS256');
  const reply = await fetch(server.url + tokenPath, { method: 'POST', headers, body });
  const { access_token: token } = (await reply.json()) as { access_token: string };
  const authorization = `Bearer ${token}`;
  const path = '/svc/rest/maps/orders/1';
  const stored = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization },
    body: 'v'.repeat(100),
  });
  if (!stored.ok) throw new Error(`no value could be stored: ${stored.status}`);
  const request = httpRequest('GET', path, { host: new URL(server.url).host, authorization });
  return cell(server, [server.name, 'GET of a map value'], () =>
    load({ url: server.url, request, connections, seconds: secondsPerCell }),
  );
}

function tokenCell(server: ServerProcess): Cell {
  const { headers, body } = tokenRequest('RS256');
  const request = httpRequest('POST', tokenPath, { host: new URL(server.url).host, ...headers }, body);
  return cell(server, [server.name, 'token'], () =>
    load({ url: server.url, request, connections, seconds: secondsPerCell }),
  );
}

/** A million calls of a thousand kinds, of one machine that is to have less. */
async function whatIf(rounds: number, dataDir: string): Promise<readonly Ratio[]> {
  const storage = await openStorage({ dataDir, role: 'tool' });
  const usage = createUsage({ artifacts: storage.artifacts, days: 30, now: Date.now });
  const at = Date.now();
  usage.take(
    Array.from(
      { length: 1000 },
      (_, i): UsageRow => [
        'client:machine',
        'svc:data:read',
        'map:read',
        `orders-${i}`,
        true,
        1000,
        at,
        at,
        null,
      ],
    ),
  );
  await usage.flush();
  const client = { id: 'machine', scopes: ['svc:data:read'], grantTypes: ['client_credentials'] };
  const nobody = async () => undefined;
  const ask = createWhatIf({
    usage,
    users: { find: nobody, findByName: nobody },
    clients: { find: async () => client as unknown as ClientRecord },
    roles: { find: () => undefined, names: () => [], permissionsOf: () => undefined },
    now: Date.now,
  });
  const times: number[] = [];
  for (let round = 0; round < warmUps + rounds; round++) {
    const began = performance.now();
    await ask({ client: 'machine', change: { scopes: ['svc:map:orders-1*:read'] }, days: 30 });
    times.push(performance.now() - began);
  }
  await storage.close();
  const name = 'what-if over a million calls of 1,000 kinds';
  return [
    { name: `${name}, the first`, spread: spread(times.slice(0, 1)), unit: ' ms' },
    { name, spread: spread(times.slice(warmUps)), unit: ' ms', atMost: 5 },
  ];
}

/** Of fifty machines that call twenty maps in turn, so that nothing is the same as in the call before. */
export function countingAlone(rounds: number): Ratio {
  const counter = createUsageCounter();
  const rule = ruleTable.find(({ structure }) => structure?.kind === 'map' && structure.action === 'read')!;
  const callers = Array.from({ length: 50 }, (_, i) => ({
    ...{ subject: `machine-${i}`, clientId: `machine-${i}`, roles: [], jti: '', expiresAt: 0, claims: {} },
    scopes: ['svc:data:read', 'svc:data:write'],
  }));
  const made = Array.from({ length: calls }, (_, i): UsedCall => {
    const path = `/svc/rest/maps/orders-${i % 20}/${i}`;
    const req = { method: 'GET' } as UsedCall['req'];
    return { req, caller: callers[i % 50], rule, target: { sent: path, path }, denial: undefined };
  });
  const round = () => {
    const began = performance.now();
    for (const call of made) counter.count(call);
    return ((performance.now() - began) * 1000) / calls;
  };
  round();
  return {
    name: 'one call counted',
    spread: spread(Array.from({ length: rounds }, round)),
    unit: ' µs',
    atMost: 1,
  };
}
