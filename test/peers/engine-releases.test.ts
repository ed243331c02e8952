/** The same calls at an older release, at members with groups that are off, and at the embedded member. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ruleTable } from '../../member-proxy/authorization/rule-table.ts';
import type { EndpointGroup } from '../../platform/endpoint-groups.ts';
import { until } from '../helpers/store.ts';
import type { WireAnswer } from '../helpers/wire.ts';
import {
  type Answerer,
  bodyOf,
  dataAndInformation,
  type EngineRow,
  engineTable,
  plain,
  ruleOf,
  throughConsole,
} from './engine-table.ts';
import { type EngineConsole, startEngineConsole } from './support/engine-console.ts';
import {
  type EngineCluster,
  engineStartMs,
  newestRelease,
  startEngineMembers,
  whyNoEngine,
} from './support/engine-members.ts';

const rest = '/svc/rest';
const env = { CONSOLE_PROXY_MANAGEMENT_RATE: '0' };
const startMs = engineStartMs + 60_000;

/** One walk through the table, each row at the console. */
function walk(
  rows: readonly EngineRow[],
  who: Answerer,
  front: () => EngineConsole,
  version: () => string,
): void {
  test.each(rows)('$method $path', async (row) => {
    const body = bodyOf(row, '');
    const answer = await front().call(row.method, row.path, {
      ...(body !== undefined && { body: Buffer.from(body, 'latin1') }),
      headers: row.type === undefined ? {} : { 'Content-Type': row.type },
    });
    const shown =
      answer.type === 'application/problem+json' ? problemOf(answer).code : plain(answer, version());
    expect(shown).toBe(who === 'embedded' ? row.answer(who) : throughConsole(row, who));
  });
}

describe.skipIf(whyNoEngine)(`a member of 5.3.8 behind the console${whyNoEngine ?? ''}`, () => {
  let cluster: EngineCluster;
  let front: EngineConsole;

  beforeAll(async () => {
    cluster = await startEngineMembers({ version: '5.3.8' });
    front = await startEngineConsole({ addresses: cluster.addresses, env });
  }, startMs);
  afterAll(async () => {
    await front?.stop();
    await cluster?.stop();
  });

  walk(
    engineTable,
    '5.3.8',
    () => front,
    () => '5.3.8',
  );
});

describe('the embedded member behind the console', () => {
  let front: EngineConsole;
  let version: string;

  beforeAll(async () => {
    front = await startEngineConsole({ env });
    const { body } = await front.call('GET', `${rest}/cluster`);
    version = JSON.parse(body).members[0].memberVersion;
  });
  afterAll(() => front?.stop());

  walk(
    dataAndInformation,
    'embedded',
    () => front,
    () => version,
  );
});

describe.skipIf(whyNoEngine)(`members with groups that are off${whyNoEngine ?? ''}`, () => {
  const half = ['DATA', 'WAN', 'PERSISTENCE'] as const satisfies readonly EndpointGroup[];
  const otherHalf = ['HEALTH_CHECK', 'CP', 'CLUSTER_WRITE'] as const satisfies readonly EndpointGroup[];
  let first: EngineCluster;
  let second: EngineCluster;
  let front: EngineConsole;

  beforeAll(async () => {
    [first, second] = (await Promise.all(
      [half, otherHalf].map((off) => startEngineMembers({ version: newestRelease, off })),
    )) as [EngineCluster, EngineCluster];
    front = await startEngineConsole({ addresses: `${first.addresses},${second.addresses}`, env });
  }, startMs);
  afterAll(async () => {
    await front?.stop();
    await first?.stop();
    await second?.stop();
  });

  /** A call of each group, that a member with the group on answers. */
  const calls: Readonly<Record<EndpointGroup, readonly [method: string, path: string, body?: string]>> = {
    HEALTH_CHECK: ['GET', '/svc/health/node-state'],
    CLUSTER_READ: ['GET', `${rest}/instance`],
    CLUSTER_WRITE: ['POST', `${rest}/log-level/reset`, '&'],
    PERSISTENCE: ['POST', `${rest}/management/cluster/backup`, '&'],
    WAN: ['POST', `${rest}/wan/pausePublisher`, '&&w&p'],
    DATA: ['GET', `${rest}/maps/m/k`],
    CP: ['GET', `${rest}/cp-subsystem/members/local`],
  };
  const rows = Object.entries(calls) as [EndpointGroup, (typeof calls)[EndpointGroup]][];

  test('there is a call for every group of the rules', () => {
    expect(Object.keys(calls).sort()).toEqual([...new Set(ruleTable.map(({ group }) => group))].sort());
    for (const [group, [method, path]] of rows) expect(ruleOf({ method, path }).group).toBe(group);
  });

  test.each(rows)(
    '%s: the member where it is off is named with the key, and others answer (S67)',
    async (group, call) => {
      const [method, path, body] = call;
      const request = body === undefined ? {} : { body };
      const isOff = (groups: readonly EndpointGroup[]) => groups.includes(group);
      for (const [{ members }, off] of [
        [first, isOff(half)],
        [second, isOff(otherHalf)],
      ] as const) {
        const { host } = members[0]!;
        const pinned = await front.call(method, `/members/${host}${path}`, request);
        if (!off) {
          expect(pinned.type).not.toBe('application/problem+json');
          continue;
        }
        const { code, detail } = problemOf(pinned);
        expect(code).toBe('group_disabled');
        expect(detail).toContain(group);
        expect(detail).toContain(host);
        expect(detail).toContain(`network.rest-api.endpoint-groups.${group}.enabled`);
      }
      for (let i = 0; i < 6; i += 1) {
        const { type } = await front.call(method, path, request);
        expect(type).not.toBe('application/problem+json');
      }
    },
  );

  test('hanging up has put nobody out (S67)', async () => {
    for (const { host } of [...first.members, ...second.members]) {
      expect((await front.call('GET', `/members/${host}${rest}/instance`)).status).toBe(200);
    }
    expect(front.console.log().filter(({ msg }) => String(msg).startsWith('member is out'))).toEqual([]);
  });
});

describe.skipIf(whyNoEngine)(`a member that answers data calls only${whyNoEngine ?? ''}`, () => {
  test(
    'is found out to speak as the real engine does',
    async () => {
      const cluster = await startEngineMembers({
        version: newestRelease,
        off: ['HEALTH_CHECK', 'CLUSTER_READ', 'CLUSTER_WRITE', 'PERSISTENCE', 'WAN', 'CP'],
      });
      const front = await startEngineConsole({ addresses: cluster.addresses, env, isSilent: true });
      try {
        const isStored = async () =>
          (await front.call('POST', `${rest}/maps/m/k`, { body: 'value' })).status === 200;
        await until(isStored, 'a value to be stored', 60_000);
        expect((await front.call('GET', `${rest}/maps/m/k`)).body).toBe('value');
        const isReported = async () =>
          (problemOf(await front.call('GET', `${rest}/cluster`)) as { code?: string }).code ===
          'group_disabled';
        await until(isReported, 'the group to be told', 60_000);
      } finally {
        await front.stop();
        await cluster.stop();
      }
    },
    startMs,
  );
});

function problemOf({ body }: WireAnswer): { readonly code: string; readonly detail: string } {
  return JSON.parse(body || '{}');
}
