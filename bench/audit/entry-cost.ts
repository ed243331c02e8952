/** What an entry costs the thread that serves, by its own processor time: put together and handed over. */
import { mkdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { openAuditStore } from '../../console/audit/audit-store.ts';
import { builtFile } from '../../platform/installation.ts';
import type { AuditFields } from '../../platform/log.ts';

const entries = 40_000;
/** In one turn of the event loop, as at 64 connections. */
const atOnce = 8;

export interface EntryCost {
  readonly name: string;
  /** Of one entry, by round. */
  readonly micros: readonly number[];
}

interface Kind {
  readonly name: string;
  readonly event: string;
  readonly fieldsOf: (i: number) => AuditFields;
}

const kinds: readonly Kind[] = [
  {
    name: 'a token',
    event: 'token.issued',
    fieldsOf: (i) => ({
      actor: 'application-client',
      source: '127.0.0.1',
      outcome: 'success',
      requestId: `IlYbMSIh-${i.toString(36)}`,
      grantType: 'client_credentials',
      jti: `21e0b687-69ca-4396-a900-${String(i).padStart(12, '0')}`,
    }),
  },
  {
    name: 'a writing call',
    event: 'member.call',
    fieldsOf: (i) => ({
      actor: 'application-client',
      source: '127.0.0.1',
      outcome: 'success',
      requestId: `IlYbMSIh-${i.toString(36)}`,
      clientId: 'application-client',
      traceId: `94d91c856d250d2589dc${String(i).padStart(12, '0')}`,
      jti: '21e0b687-69ca-4396-a900-6d912b1bd6d3',
      member: 'http://127.0.0.1:24274',
      permission: 'svc:data:write',
      reason: 'forwarded',
      status: 200,
      durationMs: (i % 100) / 10,
      method: 'POST',
      path: `/svc/rest/maps/orders/${i}`,
      route: '/svc/rest/maps/{mapName}/{key...}',
    }),
  },
];

/** Interleaved: the same with and without what is measured. */
export async function measureEntries(dataDir: string, rounds: number): Promise<readonly EntryCost[]> {
  mkdirSync(dataDir, { recursive: true });
  const store = openAuditStore({
    dataDir,
    log: {
      info() {},
      error: (_fields: object, message: string) => process.stderr.write(`${message}\n`),
    } as never,
    faults: { lostAuditLines: 0 },
    now: Date.now,
    program: pathToFileURL(builtFile('console/audit/audit-thread.js')),
  });
  // The thread holds no process.
  const held = setInterval(() => {}, 1000);
  const costs = kinds.map(({ name }) => ({ name, micros: [] as number[] }));
  for (let round = -1; round < rounds; round++) {
    for (const [k, { event, fieldsOf }] of kinds.entries()) {
      const without = await microsOf(fieldsOf, () => {});
      const recorded = await microsOf(fieldsOf, (fields) => store.record(event, fields));
      if (round >= 0) costs[k]!.micros.push((recorded - without) / entries);
      await store.written();
    }
  }
  await store.close();
  clearInterval(held);
  return costs;
}

async function microsOf(fieldsOf: Kind['fieldsOf'], record: (fields: AuditFields) => void): Promise<number> {
  const before = mainThreadMicros();
  for (let i = 0; i < entries; ) {
    for (const end = i + atOnce; i < end; i++) {
      record(fieldsOf(i));
    }
    await nextTurn();
  }
  return mainThreadMicros() - before;
}

/** Whatever else runs on the machine is not in it. */
function mainThreadMicros(): number {
  const { pid } = process;
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;
}
