/** What the demo's console has in it before anybody looks: people, roles, clients, entries, a job, sessions. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Call, type Change, createCalls, createChange, type Machine, readGood } from './calls.ts';
import type { Machines } from './load.ts';
import {
  type Person,
  signIn,
  signInByProvider,
  signInBySaml,
  signOutOfWiki,
  unreachableLogout,
  wikiCallback,
} from './people.ts';
import { addProvider, type ProviderAccount } from './provider.ts';
import { addSamlProvider, type SamlAccount } from './saml-provider.ts';

export interface FillOptions {
  readonly consoleUrl: string;
  readonly machine: Machine;
  /** The first is the administrator, who is there already. */
  readonly people: readonly [Person, ...Person[]];
  /** At which one more person has an account. */
  readonly provider: ProviderAccount;
  /** At which another one has. */
  readonly partner: SamlAccount;
  readonly signal: AbortSignal;
}

/** A red square of 96 by 96 with a white disc, PNG. */
const logo =
  'iVBORw0KGgoAAAANSUhEUgAAAGAAAABgAQMAAADYVuV7AAAABlBMVEWyKir///+2JVVcAAAAwElEQVR42uWTzQ3CMAyFv7iV6LFMAJsQJmO1jMAIGaHHCkU1B7vhp0i5IrWH5H3Rs/0OLuz4u+lLd6q5wkm1AAjA2e8OIEMIyV4CQPSSg6rq5DUDfggwAvQO57WtrLVhnVOTAAmAkBAfA/HLJpUtYG8wbm0fMJgaGrbRVN+w/TNMpkrDNpuaG7ZiagKBxSBvbb5RydclAlx/tE5gZrE+1lPw2MVh9mgI8AC4Oyh1TYCL6lJT5xrwba87GxiP+/rFnyDEL7Q1YvBCAAAAAElFTkSuQmCC';
/** Of the one large value: as much as a member takes in a call. */
const largeBytes = 10_000_000;
const order = {
  id: 4711,
  customer: 'Grace Hopper',
  total: 31.1,
  items: [
    { sku: 'A-1', n: 2 },
    { sku: 'B-7', n: 1 },
  ],
};

/**
 * @returns the machines that the console has made secrets for
 * @throws {Error} when the console refuses any of it
 */
export async function fill({
  consoleUrl,
  machine,
  people,
  provider,
  partner,
  signal,
}: FillOptions): Promise<Machines> {
  const change = createChange(createCalls(consoleUrl, machine, signal, `${consoleUrl}/api`));
  await addRoles(change);
  const [administrator, ...others] = people;
  await addPeople(change, others);
  const machines = await addClients(change);
  await change('POST', '/applications', {
    id: 'wiki',
    displayName: 'Team wiki',
    redirectUris: [wikiCallback],
    backchannelLogoutUri: unreachableLogout,
  });
  await addProvider(change, provider);
  await addSamlProvider(change, partner);
  await addEntries(createCalls(consoleUrl, machine, signal));
  await addJobs(change);
  await change('POST', '/wan/atlantic/publishers/london/sync', {});
  const at = { consoleUrl, signal };
  await signOutOfWiki(at, others[0] ?? administrator);
  for (const person of people) await signIn(at, person);
  await signIn(at, { ...administrator, password: 'not the password' });
  await signInByProvider(at, provider);
  await signInBySaml(at, partner);
  return machines;
}

/** Until the console knows that a member does not answer, so that its pages say so from the beginning. */
export async function untilOut(
  { consoleUrl, machine, signal }: Pick<FillOptions, 'consoleUrl' | 'machine' | 'signal'>,
  member: string,
): Promise<void> {
  const change = createChange(createCalls(consoleUrl, machine, signal, `${consoleUrl}/api`));
  const isOut = async () =>
    ((await change('GET', `/members/${member}`)) as { readonly state: string }).state === 'out';
  while (!(await isOut())) await pause(100, undefined, { signal });
}

/** Jobs that are done, and one that fails: nobody has made the role of its third line. */
async function addJobs(change: Change): Promise<void> {
  await change('POST', '/backups');
  await change('POST', '/audit/verification');
  const lines = [
    { username: 'ines', roles: ['Viewer'] },
    { username: 'ivan', roles: ['Viewer'] },
    { username: 'ida', roles: ['Operator'] },
  ];
  const file = lines.map((line) => JSON.stringify(line)).join('\n');
  await change('POST', '/imports?of=users&format=jsonl', file);
}

async function addRoles(change: Change): Promise<void> {
  const permissions = ['svc:map:orders:read', 'svc:queue:jobs:offer'];
  await change('POST', '/roles', { id: 'OrdersReader', permissions, description: 'Reads orders' });
  await change('PATCH', '/roles/OrdersReader', { permissions: ['svc:map:orders:read'] });
}

async function addPeople(change: Change, people: readonly Person[]): Promise<void> {
  for (const { name, role, password } of people)
    await change('POST', '/users', { id: name, roles: [role], password });
  await change('POST', '/users', {
    id: 'grace',
    displayName: 'Grace Hopper',
    email: 'grace@example.com',
    roles: ['OrdersReader'],
    eligibleRoles: ['Admin'],
    password: people[0]!.password,
  });
  await change('POST', '/users', { id: 'layla', displayName: 'ليلى مديرة العنقود', roles: ['Viewer'] });
  await change('POST', '/users', { id: 'noah', displayName: 'Noah, without a role' });
  await change('POST', '/users', { id: 'olaf', displayName: 'Olaf, who has left', roles: ['Viewer'] });
  await change('POST', '/users/olaf/disable');
}

async function addClients(change: Change): Promise<Machines> {
  const add = async (id: string, displayName: string, scopes: readonly string[]): Promise<Machine> => {
    const made = (await change('POST', '/clients', { id, displayName, scopes })) as { secret: string };
    return { id, secret: made.secret, scopes };
  };
  await add('archive', 'Archive, never used', ['svc:map:orders:read']);
  return {
    importer: await add('importer', 'Order import', ['svc:data:read', 'svc:data:write']),
    billing: await add('billing', 'Billing', [
      'svc:map:orders:read',
      'svc:queue:mails:offer',
      'svc:queue:jobs:offer',
    ]),
    reporter: await add('reporter', 'Reports', ['svc:health:read']),
  };
}

async function addEntries(call: Call): Promise<void> {
  const put = async (path: string, type: string, body: string | Uint8Array<ArrayBuffer>) =>
    readGood('POST', path, await call('POST', `/svc/rest/maps/${path}`, { type, body }));
  await put('orders/a1', 'application/json', JSON.stringify(order));
  await put(
    'sessions/s1',
    'application/octet-stream',
    Uint8Array.from({ length: 256 }, (_, byte) => byte),
  );
  await put(
    'logos/red',
    'image/png',
    Uint8Array.from(atob(logo), (sign) => sign.charCodeAt(0)),
  );
  await put('archive/large', 'text/plain', 'archive\n'.repeat(largeBytes / 8));
}
