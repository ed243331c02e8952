/** Each operation of the table that changes something, done once: what the audit then says of it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../console/admin-api/table.ts';
import { exampleOf } from '../../console/description/examples.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { until, withStore } from '../helpers/store.ts';
import { type Api, createApi, type Reply } from './bad-input-api.ts';
import { exampleParams } from './bad-input-columns.ts';
import {
  bodies,
  makingCalls,
  type Sample,
  sampleElevation,
  samples,
  waitingApproval,
} from './bad-input-objects.ts';
import { writeMemberConfig } from './member-config.ts';

type TableOperation = (typeof operations)[number];

interface Entry {
  readonly requestId: string | null;
  readonly event: string;
  readonly outcome: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly via: string | null } | null;
  readonly object: { readonly kind: string; readonly id: string } | null;
  readonly change: object | null;
  readonly reason: string | null;
}

/** What is said in the body, where the example changes nothing or is for something else. */
const changedBodies: Readonly<Record<string, object>> = {
  ...bodies,
  replaceClient: { scopes: ['svc:map:orders-*:read'] },
  updateRole: { permissions: ['svc:map:another:read'] },
  updateUser: { displayName: 'Another name' },
  putLicence: { id: 'lic-2', holder: 'Orders Ltd', edition: 'team' },
  startQueueDrain: { most: 1 },
  startMapReading: { keys: ['sample-key'] },
  putMapEntry: { value: 'eyJ0b3RhbCI6NH0=', type: 'application/json' },
  endSessions: { user: 'ada' },
  pauseWanPublisher: {},
  resumeWanPublisher: {},
  stopWanPublisher: {},
  clearWanPublisher: {},
};

/** What cannot be done here, and how it is answered: the audit has that it was tried. */
const failing: Readonly<Record<string, number>> = {
  // Persons do these: test/pages/approvals.test.ts, test/accounts/elevations.
  approveChange: 403,
  takeApprovalResult: 403,
  createElevation: 403,
  rejectChange: 409,
  deleteElevation: 409,
  restoreBackup: 409,
  cancelJob: 409,
  stopQueueDrain: 409,
  stopMapReading: 409,
  undoBulkAct: 409,
  forceStartCluster: 409,
  partialStartCluster: 409,
  // None waits here: test/admin-api/open-calls.test.ts.
  endOpenCall: 404,
  // The one member here.
  drainMember: 409,
  promoteToCpMember: 404,
  removeCpMember: 404,
  removeCpSession: 409,
  // The embedded member has no publisher that answers.
  checkWanPublisher: 409,
  // It has gone with the cluster.
  shutDownMember: 503,
};

/** What changes nothing here, and so has no entry. */
const unchanged = ['applyConfigurationPlan', 'changeClusterVersion', 'undrainMember'];

/** Of what there is no before and after: what was begun, asked or emptied. */
const withoutChange =
  /^(verify|create(Backup|Import|ConfigurationPlan)|test|startHot|interruptHot|shutDown|clear|remove|reset|erase|endSession$|inviteUser|pollQueue|(pause|resume|stop|check)Wan|deleteMapEntry|endUserSessions)/;

const changing = operations.filter(({ event }) => event !== undefined);
let console: RunningConsole;
const replies = new Map<string, Reply>();
let entries: readonly Entry[];

beforeAll(async () => {
  console = await startConsole({ env: { MEMBER_CONFIG: writeMemberConfig() } });
  const api = await createApi(console);
  await withStore(console.dataDir, async ({ artifacts }) => {
    await artifacts.put('Approval', waitingApproval.id, { payload: waitingApproval });
    await artifacts.put('Elevation', sampleElevation.id, { payload: sampleElevation });
  });
  const made = new Map<string, Sample>();
  for (const [object, make] of Object.entries(samples)) made.set(object, await make(api));
  // One session to be ended by itself, and one with all of its user.
  await api.signIn();
  made.set('audit', await entryOfRole(api));
  for (const operation of [...changing].sort(byHarm)) {
    replies.set(operation.id, await send(api, operation, made.get(operation.object)));
  }
  entries = await entriesOf(api);
}, 120_000);
afterAll(() => console?.stop());

/** What the audit says of itself is not erased. */
async function entryOfRole(api: Api): Promise<Sample> {
  const { items } = (await api.done('GET', '/audit?event=role.added')).body as { items: { id: string }[] };
  const auditEntry = items[0]!.id;
  return { params: { auditEntry }, address: `/audit/${auditEntry}` };
}

/** What takes away comes after what changes, parts before their whole, and what ends members last. */
function byHarm(one: TableOperation, other: TableOperation): number {
  return harmOf(one) - harmOf(other) || other.path.length - one.path.length;
}

function harmOf({ id, method, isDangerous }: TableOperation): number {
  if (id === 'shutDownMember') return 5;
  if (id === 'shutDownCluster') return 4;
  // None is left behind it for what ends those of one user.
  if (id === 'endAllSessions') return 3;
  if (/^(reset|restore)/.test(id) && id !== 'resetUserPassword') return 3;
  if (method === 'DELETE' || /^(remove|erase|end|clear)/.test(id)) return 2;
  return isDangerous || id === 'drainQueue' ? 1 : 0;
}

async function send(api: Api, operation: TableOperation, sample: Sample | undefined): Promise<Reply> {
  const { id, method, path, body } = operation;
  const params = { ...exampleParams(operation), ...sample?.params };
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? 'nobody'),
  );
  const given = makingCalls[id]?.call;
  return api.call(method, given?.address ?? address, {
    ...(body && { body: changedBodies[id] ?? exampleOf(body) }),
    ...(given?.body !== undefined && { body: given.body }),
    ...(given?.type && { headers: { 'Content-Type': given.type } }),
  });
}

async function entriesOf(api: Api): Promise<readonly Entry[]> {
  const last = requestOf(await api.call('PUT', '/users/last-of-all', { body: {} }));
  const found: Entry[] = [];
  await until(async () => {
    found.length = 0;
    for (let cursor = ''; ; ) {
      const { body } = await api.done('GET', `/audit?limit=500${cursor}`);
      found.push(...(body.items as Entry[]));
      if (body.next === null) break;
      cursor = `&cursor=${encodeURIComponent(String(body.next))}`;
    }
    return found.some(({ requestId }) => requestId === last);
  }, 'the last entry');
  return found;
}

function requestOf({ headers }: Reply): string {
  return headers.get('x-request-id') ?? 'none';
}

function outcomeOf({ id, event }: TableOperation) {
  const reply = replies.get(id)!;
  const group = event!.split('.')[0];
  const own = entries.filter(
    (entry) => entry.requestId === requestOf(reply) && entry.event.split('.')[0] === group,
  );
  return { reply, own };
}

const named = (isMeant: (id: string) => boolean) =>
  changing.filter(({ id }) => isMeant(id)).map((operation) => [operation.id, operation] as const);
const actor = { kind: 'client', id: 'application-client', via: 'api' };

test.each(named((id) => id in failing))('%s leaves an entry that it was tried', (id, operation) => {
  const { reply, own } = outcomeOf(operation);
  expect(reply.status, reply.text).toBe(failing[id]);
  const outcome = reply.status < 500 ? 'denied' : 'failure';
  expect(own).toMatchObject([{ event: operation.event, outcome, actor }]);
  expect(own[0]!.reason).toMatch(/^[a-z_]+$/);
});

test.each(named((id) => unchanged.includes(id)))(
  '%s leaves no entry where it changes nothing',
  (_id, operation) => {
    const { reply, own } = outcomeOf(operation);
    expect([reply.status, own]).toEqual([200, []]);
  },
);

test.each(named((id) => !(id in failing) && !unchanged.includes(id)))(
  '%s leaves one entry: who, what, and what has changed',
  (id, operation) => {
    const { reply, own } = outcomeOf(operation);
    expect(reply.status, reply.text).toBeLessThan(300);
    const object = { kind: expect.any(String), id: expect.any(String) };
    expect(own).toMatchObject([{ event: operation.event, outcome: 'success', actor, object }]);
    const names = Object.keys(own[0]!.change ?? {});
    if (!withoutChange.test(id)) expect(names).not.toEqual([]);
  },
);
