/** The whole specification through the proxy, at three members of the real engine. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rolePermissions } from '../../member-proxy/authorization/permissions.ts';
import { ruleTable } from '../../member-proxy/authorization/rule-table.ts';
import { until } from '../helpers/store.ts';
import type { WireAnswer } from '../helpers/wire.ts';
import {
  bodyOf,
  type EngineRow,
  engineTable,
  plain,
  ruleOf,
  shutdownRows,
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
const management = `${rest}/management/cluster`;

describe.skipIf(whyNoEngine)(
  `three members of ${newestRelease} behind the console${whyNoEngine ?? ''}`,
  () => {
    let cluster: EngineCluster;
    let front: EngineConsole;

    beforeAll(async () => {
      cluster = await startEngineMembers({ version: newestRelease, count: 3 });
      front = await startEngineConsole({
        addresses: cluster.addresses,
        env: { CONSOLE_PROXY_MANAGEMENT_RATE: '0' },
        scopes: [
          'svc:map:orders:read',
          'svc:map:orders:write',
          'svc:map:team-*:read',
          'svc:queue:jobs:offer',
          'svc:queue:jobs:poll',
          'svc:queue:jobs:size',
          'svc:health:read',
          'svc:wan:write',
        ],
      });
    }, engineStartMs + 60_000);
    afterAll(async () => {
      await front?.stop();
      await cluster?.stop();
    });

    /** As {@link plain}, the console's own errors by their code. */
    const reportedIn = (answer: WireAnswer) =>
      answer.type === 'application/problem+json' ? codeOf(answer) : plain(answer, newestRelease);
    const send = (row: EngineRow, token = front.admin) => {
      const body = bodyOf(row, '');
      return front.callAs(token, row.method, row.path, {
        ...(body !== undefined && { body: Buffer.from(body, 'latin1') }),
        headers: row.type === undefined ? {} : { 'Content-Type': row.type },
      });
    };

    test('the table has every call of every rule', () => {
      const called = new Set(
        [...engineTable, ...shutdownRows].map((row) => `${row.method} ${ruleOf(row).template}`),
      );
      const known = ruleTable.flatMap(({ methods, template }) =>
        methods.map((method) => `${method} ${template}`),
      );
      expect(known.filter((call) => !called.has(call))).toEqual([]);
    });

    // One walk: what a call answers depends on those before it.
    test.each(engineTable)('Admin: $method $path', async (row) => {
      expect(reportedIn(await send(row))).toBe(throughConsole(row, newestRelease));
    });

    describe.each(['Viewer', 'MetricsViewer'] as const)('%s', (role) => {
      test.each(engineTable)('$method $path', async (row) => {
        const { permission } = ruleOf(row);
        const answer = await send(row, await front.tokenOfRole(role));
        if (!rolePermissions[role]!.includes(permission)) {
          expect(answer.status).toBe(403);
          const challenge = answer.headers['www-authenticate'];
          expect(challenge).toMatch(/^Bearer error="insufficient_scope"/);
          expect(challenge).toContain(`scope="${permission}"`);
          return;
        }
        expect(answer.status).not.toBe(401);
        expect(answer.type).not.toBe('application/problem+json');
      });
    });

    test('what was refused has changed nothing', async () => {
      const state = await front.call('POST', `${management}/state`, { body: '&' });
      expect(JSON.parse(state.body)).toEqual({ status: 'success', state: 'active' });
      expect((await front.call('GET', `${rest}/queues/q/size`)).body).toBe('0');
      expect((await front.call('GET', `${rest}/maps/m/a/b`)).status).toBe(204);
    });

    describe('single structures', () => {
      test.each([
        ['svc:map:orders:write', 'POST', '/maps/orders/1', 200],
        ['svc:map:orders:write', 'GET', '/maps/orders/1', 403],
        ['svc:map:orders:read', 'GET', '/maps/orders/1', 200],
        ['svc:map:orders:read', 'DELETE', '/maps/orders/1', 403],
        ['svc:map:orders:read', 'GET', '/maps/orders2/1', 403],
        // The engine takes these for the map `orders`, or `orders 2`, and their key for another.
        ['svc:map:orders:read', 'GET', '/maps/orders%2F1/x', 403],
        ['svc:map:orders:write', 'DELETE', '/maps/orders%2F1', 403],
        ['svc:map:orders:read', 'GET', '/maps/orders+2/x', 403],
        ['svc:map:team-*:read', 'GET', '/maps/team-a/1', 204],
        ['svc:map:team-*:read', 'GET', '/maps/teams/1', 403],
        ['svc:queue:jobs:offer', 'POST', '/queues/jobs', 200],
        ['svc:queue:jobs:offer', 'POST', '/queues/jobs/by-path', 200],
        ['svc:queue:jobs:offer', 'GET', '/queues/jobs/size', 403],
        ['svc:queue:jobs:offer', 'GET', '/queues/jobs/0', 403],
        ['svc:queue:jobs:size', 'GET', '/queues/jobs/size', 200],
        ['svc:queue:jobs:size', 'GET', '/queues/jobs/0', 403],
        ['svc:queue:jobs:size', 'GET', '/queues/jobs%2F0', 403],
        ['svc:queue:jobs:poll', 'DELETE', '/queues/jobs/0', 200],
        ['svc:queue:jobs:poll', 'GET', '/queues/jobs/0', 200],
        ['svc:queue:jobs:poll', 'GET', '/queues/jobs/0', 204],
        ['svc:queue:jobs:poll', 'POST', '/queues/jobs', 403],
        ['svc:health:read', 'GET', '/cluster', 403],
        ['svc:wan:write', 'POST', '/wan/pausePublisher', 500],
        ['svc:wan:write', 'GET', '/wan/sync/progress/6a3a', 403],
      ] as const)('%s at %s %s is %i', async (scope, method, path, status) => {
        const value = path.startsWith('/wan') ? '&&w&p' : 'value';
        const answer = await front.callAs(await front.tokenFor(scope), method, rest + path, {
          ...(method === 'POST' && { body: value }),
        });
        expect(answer.status).toBe(status);
        if (status === 403) expect(codeOf(answer)).toBe('insufficient_scope');
      });
    });

    describe('calls with a member target', () => {
      test('reach the member that they name, by either name', async () => {
        for (const { host } of cluster.members) {
          const { body } = await front.call('GET', `/members/${host}/svc/rest/cluster`);
          const local = localMember(body);
          expect(local.address).toBe(`[127.0.0.1]:${new URL(`http://${host}`).port}`);
          const byUuid = await front.call('GET', `/members/${local.uuid}/svc/rest/cluster`);
          expect(localMember(byUuid.body)).toEqual(local);
        }
      });

      test('change that member and no other', async () => {
        const [first, ...others] = cluster.members.map(({ host }) => `/members/${host}${rest}/log-level`);
        const levelAt = async (path: string) => (await front.call('GET', path)).body;
        const { headers } = await front.call('POST', first!, { body: '&&FINEST' });
        expect(headers['cluster-member']).toMatch(/^[0-9a-f-]{36}$/);
        expect(await levelAt(first!)).toBe('{"logLevel":"FINEST"}');
        for (const other of others) expect(await levelAt(other)).toBe('{"logLevel":null}');
        await front.call('POST', `${first}/reset`, { body: '&' });
        expect(await levelAt(first!)).toBe('{"logLevel":null}');
      });

      test('the plain form says which member took it', async () => {
        const { body, headers } = await front.call('GET', `${rest}/log-level`);
        expect(body).toBe('{"logLevel":null}');
        expect(await uuids()).toContain(headers['cluster-member']);
      });

      test('?members=all asks each of them', async () => {
        const changed = await front.call('POST', `${rest}/log-level?members=all`, { body: '&&CONFIG' });
        const body = { status: 'success', message: 'log level is changed' };
        expect([changed.status, resultsOf(changed)]).toEqual([200, cluster.members.map(() => [200, body])]);
        const levels = await front.call('GET', `${rest}/log-level?members=all`);
        expect(resultsOf(levels)).toEqual(cluster.members.map(() => [200, { logLevel: 'CONFIG' }]));
        await front.call('POST', `${rest}/log-level/reset?members=all`, { body: '&' });
        const paused = await front.call('POST', `${rest}/wan/pausePublisher?members=all`, { body: '&&w&p' });
        const error = { status: 'fail', message: 'Pausing WAN replication is not supported.' };
        expect([paused.status, resultsOf(paused)]).toEqual([207, cluster.members.map(() => [500, error])]);
      });
    });

    describe('credentials', () => {
      const wrong = [403, 'application/json', '{"status":"fail","message":"unauthenticated"}'];

      test.each([
        ['empty fields are filled', '&&active'],
        ['the cluster name is taken as it is', 'dev&&active'],
        ['an encoded name too', '%64ev&&active'],
      ])('%s', async (_name, body) => {
        const answer = await front.call('POST', `${management}/changeState`, { body });
        // It is active already.
        expect([answer.status, answer.body]).toEqual([200, '{"status":"fail","state":"active"}']);
      });

      test.each([
        ['of another cluster', 'prod&&active'],
        ['in other case', 'Dev&&active'],
      ])('the member’s error of a name %s comes back as it is', async (_name, body) => {
        const {
          status,
          type,
          body: answered,
        } = await front.call('POST', `${management}/changeState`, { body });
        expect([status, type, answered]).toEqual(wrong);
      });

      test('a JSON object says the same as a positional body', async () => {
        const headers = { 'Content-Type': 'application/json' };
        const post = (path: string, fields: object) =>
          front.call('POST', path, { headers, body: JSON.stringify(fields) });
        const frozen = await post(`${management}/changeState`, { state: 'frozen' });
        expect(frozen.body).toBe('{"status":"success","state":"frozen"}');
        const active = await post(`${management}/changeState`, {
          clusterName: 'dev',
          password: '',
          state: 'active',
        });
        expect(active.body).toBe('{"status":"success","state":"active"}');
        expect(
          (await post(`${management}/changeState`, { clusterName: 'prod', state: 'frozen' })).status,
        ).toBe(403);
        const wan = await post(`${rest}/wan/addWanConfig`, { wanConfig: { name: 'w' } });
        expect(wan.body).toContain('Adding new WAN config is not supported.');
        expect(codeOf(await post(`${management}/changeState`, { level: 'frozen' }))).toBe('invalid_request');
      });

      test('a wrong number of fields reaches no member (S68)', async () => {
        for (const body of ['', 'active', '&active']) {
          expect(codeOf(await front.call('POST', `${management}/changeState`, { body }))).toBe(
            'invalid_request',
          );
        }
      });

      test('a POST without a body stops no cluster (B5)', async () => {
        for (const call of ['clusterShutdown', 'memberShutdown', 'forceStart']) {
          expect(codeOf(await front.call('POST', `${management}/${call}`))).toBe('invalid_request');
        }
        expect(cluster.members.map((member) => member.isRunning())).toEqual([true, true, true]);
      });

      test('further & reach the member in the last position (D10)', async () => {
        const { status, body } = await front.call('POST', `${management}/changeState`, { body: '&&a&b' });
        expect([status, body]).toEqual([500, expect.stringContaining('ClusterState.A&B')]);
      });
    });

    describe('values', () => {
      const everyByte = Buffer.from(Array.from({ length: 256 }, (_, i) => i));

      test('come back byte for byte through whichever member', async () => {
        const headers = { 'Content-Type': 'application/octet-stream' };
        await front.call('POST', `${rest}/maps/bytes/all`, { body: everyByte, headers });
        for (const { host } of cluster.members) {
          const { status, body, type } = await front.call('GET', `/members/${host}${rest}/maps/bytes/all`);
          expect([status, type]).toEqual([200, 'application/octet-stream']);
          expect(Buffer.from(body, 'latin1').equals(everyByte)).toBe(true);
        }
      });

      test.each([
        ['a key with an encoded slash', '/maps/named/a%2Fb', '/maps/named/a/b'],
        ['a key with @', '/maps/named/me%40here', '/maps/named/me@here'],
        ['a map with @', '/maps/who%40x/k', '/maps/who@x/k'],
        ['a key with a space', '/maps/named/a%20b', '/maps/named/a+b'],
        ['a key beyond ASCII', '/maps/named/%E2%82%AC', '/maps/named/%e2%82%ac'],
        ['a key with a percent sign', '/maps/named/100%25', '/maps/named/100%25'],
      ])('%s is one and the same in either spelling', async (name, written, read) => {
        await front.call('POST', rest + written, { body: name });
        expect((await front.call('GET', rest + read)).body).toBe(name);
      });

      test.each([65_536, 65_537, 3_000_000])('of %i bytes', async (length) => {
        const value = Buffer.alloc(length, 'abcdefghij');
        expect((await front.call('POST', `${rest}/maps/large/v`, { body: value })).status).toBe(200);
        const { body } = await front.call('GET', `${rest}/maps/large/v`);
        expect(Buffer.from(body, 'latin1').equals(value)).toBe(true);
      });

      test('an item that is offered wakes a poll at another member', async () => {
        const [first, second] = cluster.members.map(({ host }) => `/members/${host}${rest}/queues/wake`);
        const polled = front.call('DELETE', `${first}/60`);
        await front.call('POST', second!, { body: 'up' });
        expect(await polled).toMatchObject({ status: 200, body: 'up' });
      });
    });

    // These come last: the members that take them do not stay.
    describe('shutting down', () => {
      test('is not for Viewers (S60)', async () => {
        for (const row of shutdownRows) {
          expect(codeOf(await send(row, await front.tokenOfRole('Viewer')))).toBe('insufficient_scope');
        }
      });

      test('one member goes, is named, and the others answer', async () => {
        const answered = await front.call('POST', `${management}/memberShutdown`, { body: '&' });
        expect([answered.status, answered.body]).toEqual([200, '{"status":"success"}']);
        await Promise.race(cluster.members.map((member) => member.ended()));
        for (let i = 0; i < 12; i += 1) {
          expect((await front.call('GET', `${rest}/cluster`)).status).toBe(200);
        }
      });

      test('the cluster goes', async () => {
        const answered = await front.call('PUT', `${management}/clusterShutdown`, { body: '&' });
        expect([answered.status, answered.body]).toEqual([200, '{"status":"success"}']);
        await Promise.all(cluster.members.map((member) => member.ended()));
        const isRecorded = async () => codeOf(await front.call('GET', `${rest}/cluster`)) === 'no_member';
        await until(isRecorded, 'no member to be left', 20_000);
      });
    });

    async function uuids(): Promise<string[]> {
      const { body } = await front.call('GET', `${rest}/cluster`);
      return (JSON.parse(body) as ClusterBody).members.map(({ uuid }) => uuid);
    }
  },
);

interface ClusterBody {
  readonly members: readonly {
    readonly address: string;
    readonly uuid: string;
    readonly localMember: boolean;
  }[];
}

function localMember(body: string) {
  return (JSON.parse(body) as ClusterBody).members.find((member) => member.localMember)!;
}

function codeOf({ status, body }: WireAnswer): string {
  return (JSON.parse(body || `{"code":"${status}"}`) as { code: string }).code;
}

/** Status and body of each member. */
function resultsOf({ body }: WireAnswer): [number, unknown][] {
  const { results } = JSON.parse(body) as { results: { status: number; body: unknown }[] };
  return results.map((result) => [result.status, result.body]);
}
