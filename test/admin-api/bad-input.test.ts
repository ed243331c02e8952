/**
 * Bad input to every operation of the table: what follows from the table comes by itself with each new operation; what
 * belongs to one object stands in bad-input-objects.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../console/admin-api/table.ts';
import { exampleOf } from '../../console/description/examples.ts';
import { statusesOf } from '../../console/operations/operation.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { withStore } from '../helpers/store.ts';
import { type Api, createApi, type Reply } from './bad-input-api.ts';
import { type BadCall, badCalls, canary, exampleParams } from './bad-input-columns.ts';
import {
  bodies,
  type MakingCall,
  makingCalls,
  particular,
  queries,
  type Sample,
  sampleElevation,
  samples,
  waitingApproval,
} from './bad-input-objects.ts';
import { writeMemberConfig } from './member-config.ts';

let console: RunningConsole;
let api: Api;
const made = new Map<string, Sample>();
/** Of each object that has a list. */
const lists = operations.filter(
  ({ method, params, answer, id }) => method === 'GET' && !params && answer && id.startsWith('list'),
);

beforeAll(async () => {
  console = await startConsole({ env: { MEMBER_CONFIG: writeMemberConfig() } });
  api = await createApi(console);
  await withStore(console.dataDir, async ({ artifacts }) => {
    await artifacts.put('Approval', waitingApproval.id, { payload: waitingApproval });
    await artifacts.put('Elevation', sampleElevation.id, { payload: sampleElevation });
  });
  for (const [object, make] of Object.entries(samples)) made.set(object, await make(api));
}, 60_000);
afterAll(() => console?.stop());

type TableOperation = (typeof operations)[number];

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
  test.each(badCalls(operation).map((row) => [row.column, row] as const))(
    'refuses %s, changes nothing and repeats nothing (S53)',
    async (_column, row) => {
      const before = await stateOf(operation);
      const reply = await api.call(operation.method, addressOf(operation, row), row);
      if (row.or !== reply.status) {
        expect([reply.status, reply.body.code], reply.text).toEqual([row.status, row.code]);
      }
      expectRefusal(reply, row);
      expect(await stateOf(operation)).toBe(before);
    },
  );
});

const changes = operations.filter(
  ({ event, params, hasVersion }) => event !== undefined && params && hasVersion !== false,
);
describe.each(changes.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
  test('is not done on a version that has passed', async () => {
    const before = await stateOf(operation);
    const reply = await api.call(operation.method, addressOf(operation), {
      ...bodyOf(operation),
      ...(operation.mediaType && { body: 'bytes' }),
      headers: { 'If-Match': `"${canary}"`, 'Content-Type': operation.mediaType ?? 'application/json' },
    });
    expect([reply.status, reply.body.code], reply.text).toEqual([412, 'precondition_failed']);
    expect(reply.text).not.toContain(canary);
    expect(await stateOf(operation)).toBe(before);
  });
});

const patches = operations.filter(({ method }) => method === 'PATCH');
describe.each(patches.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
  test('is done by one of those who change the same version at the same time', async () => {
    const address = addressOf(operation);
    // What has no id is there from the first change on.
    if (!operation.params) await api.call('PATCH', address, { body: { name: 'Earlier' } });
    const shown = operation.params ? made.get(operation.object)!.address : address;
    const tag = (await api.call('GET', shown)).headers.get('etag')!;
    expect(tag).toMatch(/^"[\w-]+"$/);
    const replies = await Promise.all(
      Array.from({ length: 4 }, () =>
        api.call('PATCH', address, { ...bodyOf(operation), headers: { 'If-Match': tag } }),
      ),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 412, 412, 412]);
    const lost = replies.filter(({ status }) => status === 412);
    for (const { body } of lost) expect(body.current).toMatch(/^"[\w-]+"$/);
    expect(lost.map(({ body }) => body.current)).not.toContain(tag);
  });
});

/** For people alone, and a machine calls here: test/accounts/elevations/elevations.test.ts. */
const ofPeople: readonly string[] = ['createElevation'];
/** Others here need what it ends: test/admin-api/session-ends.test.ts. */
const endsWhatOthersNeed: readonly string[] = ['endAllSessions'];
const making = operations.filter(
  ({ id, isMaking }) => isMaking && ![...ofPeople, ...endsWhatOthersNeed].includes(id),
);
describe.each(making.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
  test('is made once by two calls of one key, and refused with another body', async () => {
    const headers = { 'Idempotency-Key': `key-of-${operation.id}-0123456789` };
    const call = makingCallOf(operation);
    const send = ({ address, body, type }: MakingCall) =>
      api.call('POST', address, { body, headers: { ...headers, ...(type && { 'Content-Type': type }) } });
    const first = await send(call);
    expect(statusesOf(operation), first.text).toContain(first.status);
    const again = await send(call);
    expect([again.status, again.text, again.headers.get('location')]).toEqual([
      first.status,
      first.text,
      first.headers.get('location'),
    ]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = otherCallOf(operation, call);
    // One that says nothing can say nothing else.
    expect(other === undefined).toBe(['createBackup', 'verifyAudit'].includes(operation.id));
    if (!other) return;
    await untilJobsAreOver();
    const before = await stateOf(operation);
    const refused = await send(other);
    expect([refused.status, refused.body.code], refused.text).toEqual([422, 'idempotency_mismatch']);
    expect(refused.text).not.toContain(canary);
    expect(await stateOf(operation)).toBe(before);
  });
});

describe.each(particular.map((row) => [row.what, row] as const))('%s', (_what, row) => {
  test('is refused, and changes nothing', async () => {
    const [method, path, body] = row.call;
    const before = await api.call('GET', row.unchanged);
    const reply = await api.call(method, path, { as: row.as ?? 'admin', body });
    expect([reply.status, reply.body.code], reply.text).toEqual([row.status, row.code]);
    const after = await api.call('GET', row.unchanged);
    expect([after.text, after.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')]);
  });
});

test('every object that can be changed has a row in bad-input-objects.ts', () => {
  const needed = new Set(changes.map(({ object }) => object));
  expect([...needed].filter((object) => !(object in samples))).toEqual([]);
});

test('an operation answers with what its schema says, and nothing more', async () => {
  const reads = operations.filter(
    ({ method, answer, answerType }) => method === 'GET' && answer && !answerType,
  );
  const wrong: unknown[] = [];
  for (const operation of reads) {
    const reply = await api.call('GET', addressOf(operation) + (queries[operation.id] ?? ''));
    const parsed = operation.answer!.safeParse(reply.body);
    if (reply.status !== 200 || !parsed.success)
      wrong.push([operation.id, reply.status, parsed.error?.issues]);
  }
  expect(wrong).toEqual([]);
  expect(reads.length).toBeGreaterThan(1);
});

test('an operation that makes something answers 201 with its place and version', async () => {
  const role = await api.call('POST', '/roles', {
    body: { id: 'PlacedRole', permissions: ['svc:health:read'] },
  });
  expect([role.status, role.headers.get('location')]).toEqual([201, '/api/v1/roles/PlacedRole']);
  const shown = await api.call('GET', '/roles/PlacedRole');
  expect([shown.headers.get('etag'), shown.text]).toEqual([role.headers.get('etag'), role.text]);
  expect(statusesOf(operations.find(({ id }) => id === 'createRole')!)).toEqual([201]);
});

function addressOf(operation: TableOperation, row: Partial<BadCall> = {}): string {
  const params = { ...exampleParams(operation), ...made.get(operation.object)?.params, ...row.params };
  const encoded = (name: string) =>
    row.params && name in row.params ? row.params[name]! : encodeURIComponent(params[name] ?? 'nobody');
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(name)) + (row.query ?? '');
}

function makingCallOf(operation: TableOperation): MakingCall {
  return { address: addressOf(operation), ...bodyOf(operation), ...makingCalls[operation.id]?.call };
}

function otherCallOf({ id }: TableOperation, call: MakingCall): MakingCall | undefined {
  const other = makingCalls[id]?.other;
  if (other) return { ...call, ...other };
  const body = otherThan(call.body);
  return body && { ...call, body };
}

/** As good, and about something else; undefined for what has neither an id nor a number. */
function otherThan(body: unknown): object | undefined {
  const entries = Object.entries(body ?? {});
  const at = entries.findIndex(([name, value]) => name === 'id' || typeof value === 'number');
  if (at < 0) return undefined;
  const [name, value] = entries[at]!;
  return { ...(body as object), [name]: typeof value === 'number' ? value + 1 : `${value}-${canary}` };
}

function bodyOf({ id, body }: TableOperation): { body?: unknown } {
  return body ? { body: bodies[id] ?? exampleOf(body) } : {};
}

function expectRefusal(reply: Reply, row: BadCall): void {
  expect(reply.headers.get('content-type')).toBe('application/problem+json');
  expect(reply.headers.get('cache-control')).toBe('no-store');
  expect(reply.text).not.toContain(canary);
  if (reply.status === 401) expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
  if (row.pointer === undefined) return;
  const errors = reply.body.errors as { pointer: string }[];
  expect(
    errors.some(({ pointer }) => pointer.startsWith(row.pointer!)),
    reply.text,
  ).toBe(true);
}

/** What they do changes by itself what their lists say. */
async function untilJobsAreOver(): Promise<void> {
  const areOver = async () => {
    const { body } = await api.call('GET', '/jobs');
    return (body.items as { endedAt: string | null }[]).every(({ endedAt }) => endedAt !== null);
  };
  await expect.poll(areOver, { timeout: 30_000 }).toBe(true);
}

/** What a call could have changed, without what changes by being used, or by tries to deliver that go on meanwhile. */
async function stateOf({ object, event }: TableOperation): Promise<string> {
  if (event === undefined) return '';
  const addresses = [
    // Asking adds to the audit: what a call changes of it says another entry.
    ...lists
      .filter((one) => one.object === object)
      .map(({ path }) =>
        /^\/audit(?:\/newest)?$/.test(path) ? `${path}?event=audit.erased&outcome=success` : path,
      ),
    ...(made.has(object) ? [made.get(object)!.address] : []),
  ];
  const replies = await Promise.all(addresses.map((address) => api.call('GET', address)));
  return replies
    .map(
      ({ text, headers }) =>
        `${headers.get('etag')} ${text.replaceAll(/"(?:last\w+At|inFlight|p99Ms|failedShare|\w+PerSecond|hitShare|meanValueBytes|pollsWaiting|nextTryAt|tries)":(?:null|"[^"]*"|[\d.]+)/g, '')}`,
    )
    .join('\n');
}
