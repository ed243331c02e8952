/** Every act that a page asks about is said as a command and as a call of the API: each, pasted, does it. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadOperations } from '../../console/admin-api/load-operations.ts';
import { parseArguments } from '../../console/commands/runner/parse.ts';
import { commands } from '../../console/commands/table.ts';
import type { Act } from '../../console/pages/acts.ts';
import { fileOfAct } from '../../console/pages/ways/act-files.ts';
import { waysOfAct } from '../../console/pages/ways/act-ways.ts';
import { textsIn } from '../../views/texts/text.ts';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { run } from '../commands/support.ts';
import { toolDone } from '../helpers/commands.ts';
import { apiToken, type RunningConsole } from '../helpers/console.ts';
import { callApi, hiddenIn, personWith, sendForm, startWithAdmin } from '../helpers/management.ts';
import { type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';

interface Said {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly query?: Readonly<Record<string, string>>;
  /** After `npx console`; null: no command does it. */
  readonly command: string | null;
}

const names = { replication: 'rep', publisher: 'pub' };
const reason = { reason: 'moved' };
/** By operation. */
const said: Readonly<Record<string, Said | readonly Said[]>> = {
  addWanConfig: { body: { config: { name: 'rep' } }, command: 'wan add --file wan.json' },
  approveChange: { params: { approval: 'a1' }, command: 'approval approve a1 --url https://c.example' },
  cancelJob: { params: { job: 'job_1' }, command: 'job cancel job_1' },
  changeClusterState: [
    { body: { state: 'passive' }, command: 'cluster state passive' },
    { body: { state: 'passive' }, query: reason, command: 'cluster state passive --reason moved' },
  ],
  changeClusterVersion: { body: { version: '5.5' }, command: 'cluster version 5.5' },
  changeMemberLicence: { body: { key: 'KEY' }, command: 'cluster set-licence --key-file licence.key' },
  checkWanPublisher: { params: names, body: { map: 'm' }, command: 'wan check rep pub --map m' },
  clearMap: [
    { params: { map: 'my map' }, command: "map clear 'my map'" },
    { params: { map: '-x' }, command: null },
  ],
  clearWanPublisher: { params: names, command: 'wan clear rep pub' },
  createApplicationSecret: {
    ...{ params: { client: 'c' }, body: { ends: 'none', othersEndOnUse: true } },
    command: 'client rotate-secret c',
  },
  createClientSecret: [
    { params: { client: 'c' }, body: { ends: 'none' }, command: 'client rotate-secret c --keep-old' },
    { params: { client: 'c' }, body: { othersEndOnUse: true }, command: 'client rotate-secret c' },
    {
      ...{ params: { client: 'c' }, body: { ends: 'oldest', othersEndAt: '2100-01-01T00:00:00Z' } },
      command: 'client rotate-secret c --old-ends-at 2100-01-01T00:00:00Z',
    },
    { params: { client: 'c' }, body: { ends: 'all' }, command: 'client rotate-secret c --revoke-old' },
  ],
  createElevation: {
    body: { role: 'Admin', minutes: 15, reason: 'a b' },
    command: "elevate Admin --minutes 15 --reason 'a b' --url https://c.example",
  },
  deleteApplication: { params: { client: 'c' }, command: 'client remove c' },
  deleteApplicationSecret: { params: { client: 'c', secret: 's' }, command: 'client remove-secret c s' },
  deleteClient: { params: { client: 'c' }, command: 'client remove c' },
  deleteClientSecret: {
    params: { client: 'c', secret: 's' },
    query: { endTokens: 'false' },
    command: 'client remove-secret c s --keep-tokens',
  },
  deleteElevation: { params: { elevation: 'e1' }, command: 'elevation end e1' },
  deleteIdentityProvider: [
    { params: { provider: 'p' }, command: 'idp remove p' },
    {
      params: { provider: 'p' },
      query: { withAccounts: 'true' },
      command: 'idp remove p --with-accounts',
    },
  ],
  deleteMapEntry: { params: { map: 'm', key: "it's" }, command: `map remove m 'it'\\''s'` },
  // What removes them by command fetches them first.
  deleteQueueItems: { params: { queue: 'q', drain: 'd' }, command: null },
  deleteRole: { params: { role: 'r' }, command: 'role remove r' },
  deleteUser: { params: { user: 'u' }, command: 'user remove u' },
  disableApplication: { params: { client: 'c' }, command: 'client disable c' },
  disableClient: { params: { client: 'c' }, command: 'client disable c' },
  disableIdentityProvider: { params: { provider: 'p' }, command: 'idp disable p' },
  disableUser: { params: { user: 'u' }, command: 'user disable u' },
  enableApplication: { params: { client: 'c' }, command: 'client enable c' },
  enableClient: { params: { client: 'c' }, command: 'client enable c' },
  enableIdentityProvider: { params: { provider: 'p' }, command: 'idp enable p' },
  enableUser: { params: { user: 'u' }, command: 'user enable u' },
  endAllSessions: [
    { body: {}, command: 'session end-all --everybody' },
    { body: reason, command: 'session end-all --everybody --reason moved' },
  ],
  endOpenCall: { params: { call: 'c1' }, command: 'call end c1' },
  endSession: { params: { session: 's1' }, command: 'session end s1' },
  endUserSessions: { params: { user: 'u' }, command: 'user end-sessions u' },
  forceStartCluster: [
    { command: 'cluster force-start' },
    { query: reason, command: 'cluster force-start --reason moved' },
  ],
  interruptHotBackup: { command: 'cluster interrupt-backup' },
  partialStartCluster: [
    { command: 'cluster partial-start' },
    { query: reason, command: 'cluster partial-start --reason moved' },
  ],
  pollQueue: { params: { queue: 'q' }, command: 'queue poll q' },
  promoteToCpMember: { params: { member: 'h:5701' }, command: 'cp promote h:5701' },
  rejectChange: {
    params: { approval: 'a1' },
    body: { reason: 'no' },
    command: 'approval reject a1 --reason no --url https://c.example',
  },
  reloadMemberConfig: { command: 'cluster reload' },
  removeCpGroup: { params: { group: 'g' }, command: 'cp remove-group g' },
  removeCpMember: { params: { cpMember: 'u' }, command: 'cp remove-member u' },
  removeCpSession: { params: { group: 'g', session: '1' }, command: 'cp remove-session g 1' },
  resetCp: [{ command: 'cp reset' }, { query: reason, command: 'cp reset --reason moved' }],
  resetUserPassword: { params: { user: 'u' }, command: 'user reset-password u' },
  rotateKeys: [
    { body: {}, command: 'keys rotate' },
    { body: { now: true }, command: 'keys rotate --now' },
  ],
  shutDownCluster: [
    { command: 'cluster shutdown' },
    { query: reason, command: 'cluster shutdown --reason moved' },
  ],
  shutDownMember: [
    { params: { member: 'h:5701' }, command: 'member shutdown h:5701' },
    { params: { member: 'h:5701' }, query: reason, command: 'member shutdown h:5701 --reason moved' },
  ],
  startHotBackup: { command: 'cluster backup' },
  startQueueDrain: {
    params: { queue: 'q' },
    body: { most: 7 },
    command: 'queue drain q --most 7 --to-file items.jsonl',
  },
  stopWanPublisher: { params: names, command: 'wan stop rep pub' },
  syncWanPublisher: { params: names, body: {}, command: 'wan sync rep pub' },
  updateApplication: {
    params: { client: 'c' },
    body: { displayName: null },
    command: 'client update c --name none',
  },
  updateClient: [
    {
      params: { client: 'c' },
      body: { scopes: ['svc:health:read', 'svc:cp:read'] },
      command: "client update c --scope 'svc:health:read svc:cp:read'",
    },
    { params: { client: 'c' }, body: { scopes: ['svc:cp:read'], pkce: 'nonce' }, command: null },
  ],
  // Of what is put back: fields of providers have no flags that say them one by one.
  updateIdentityProvider: { params: { provider: 'p' }, body: { name: 'P' }, command: null },
  updateMemberConfig: {
    body: { config: 'hazelcast: {}' },
    query: reason,
    command: 'cluster config --file members.yaml --reason moved',
  },
  updateRole: [
    {
      params: { role: 'r' },
      body: { permissions: ['svc:cp:read'], description: 'Reads CP' },
      command: "role update r --scope svc:cp:read --description 'Reads CP'",
    },
    { params: { role: 'r' }, body: { description: null }, command: null },
  ],
  updateUser: {
    params: { user: 'u' },
    body: { roles: ['Viewer', 'MetricsViewer'] },
    command: 'user update u --role Viewer --role MetricsViewer',
  },
};

/** Forms say themselves in other ways. */
const ofForms = new Set(['createRole', 'createClient', 'createIdentityProvider']);
const pages = join(import.meta.dirname, '../../console/pages');

/** Of the sources of all pages that ask, what their acts run. */
async function askedOperations(): Promise<readonly string[]> {
  const changes = new Set(
    (await loadOperations()).filter(({ method }) => method !== 'GET').map(({ id }) => id as string),
  );
  const files = readdirSync(pages, { recursive: true, encoding: 'utf8' });
  const sources = files
    .filter((file) => file.endsWith('.ts') && !file.startsWith('bulk'))
    .map((file) => readFileSync(join(pages, file), 'utf8'))
    .filter((source) => /import (?:type )?\{[^}]*\bAct\b[^}]*\} from '[./]+acts\.ts'/.test(source));
  expect(sources.length).toBeGreaterThan(15);
  const found = sources.flatMap((source) =>
    [...source.matchAll(/operation: (?:'(\w+)'|`([^`]+)`)/g)].flatMap(([, id, template]) =>
      id === undefined
        ? ['Client', 'Application'].map((kind) => template!.replace(/\$\{operation\}/, kind))
        : [id],
    ),
  );
  return [...new Set(found)].filter((id) => changes.has(id) && !ofForms.has(id)).sort();
}

const kinds = ['Client', 'Application', 'User', 'IdentityProvider'];
/** What putting back a change runs. */
const ofHistory = kinds.flatMap((kind) => [`enable${kind}`, `disable${kind}`, `update${kind}`]);

test('every act that a page asks about is here', async () => {
  const asked = new Set([...(await askedOperations()), ...ofHistory, 'updateRole']);
  expect(Object.keys(said).sort()).toEqual([...asked].sort());
});

const rows = Object.entries(said).flatMap(([operation, each]) =>
  [each].flat().map((one: Said) => ({ operation, ...one })),
);
test.each(rows)('$operation is said as $command', async ({ operation, params = {}, command, ...request }) => {
  const act: Act = { name: 'x', operation, title: 'X', effects: [], button: 'X', requestOf: () => request };
  const ways = await waysOfAct(act, params, new Map(), { origin: 'https://c.example', t: textsIn('en') });
  const line = ways
    .find(({ language }) => language === 'Command')
    ?.text.split('\n')
    .at(-1);
  expect(line).toBe(command === null ? undefined : `npx console ${command}`);
  if (command !== null) {
    const { stdout } = await run('bash', ['-c', `printf '%s\\0' ${command}`], { dataDir: '/nowhere' });
    expect(parseArguments(stdout.split('\0').slice(0, -1), commands).command.isOnApi).toBe(true);
  }
  const { method, path } = (await loadOperations()).find(({ id }) => id === operation)!;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
  const api = ways.find(({ language }) => language === 'API')!.text.replaceAll("'\\''", "'");
  const query = request.query ? `?${new URLSearchParams(request.query)}` : '';
  expect(api).toMatch(new RegExp(`^curl -X ${method} `, 'm'));
  expect(api).toContain(`https://c.example/api/v1${filled}${query}`);
});

describe('what a page shows, pasted,', () => {
  let console: RunningConsole;
  let ada: UserAgent;
  beforeAll(async () => {
    ({ console, ada } = await startWithAdmin({ env: { MEMBER_CONFIG: writeMemberConfig() } }));
  });
  afterAll(() => console?.stop());

  const person = { id: 'tmp', password: 'a-long-enough-password-7', roles: ['Viewer'] };
  const client = { id: 'tmp', scopes: ['svc:map:orders:read'] };
  const provider = { id: 'tmp', kind: 'oidc', name: 'T', issuer: 'https://idp.example', clientId: 'c' };
  const upstream = {
    ...provider,
    clientSecret: 'marmot-0123456789-abcdefghij',
    defaultRole: 'Viewer',
  };
  const read = (path: string) => callApi(console, 'GET', path);
  const isGone = async (path: string) => expect(read(path)).rejects.toThrow('404');
  const secretsOf = async () =>
    ((await read('/clients/tmp')) as { readonly secrets: readonly { readonly id: string }[] }).secrets.map(
      ({ id }) => id,
    );
  let before: readonly string[] = [];

  interface Case {
    readonly title: string;
    readonly make?: () => Promise<unknown>;
    readonly page: string | (() => string);
    /** Chosen in the form. */
    readonly chosen?: Readonly<Record<string, string>>;
    readonly after: () => Promise<unknown>;
    /** Takes away what is left. */
    readonly clear?: string;
  }

  const cases: readonly Case[] = [
    {
      title: 'ends everything of a user',
      make: () => callApi(console, 'POST', '/users', person),
      page: '/access/users/tmp?do=end-everything',
      after: async () => expect(await read('/users/tmp')).toMatchObject({ status: 'disabled' }),
      clear: '/users/tmp',
    },
    {
      title: 'removes a user',
      make: () => callApi(console, 'POST', '/users', person),
      page: '/access/users/tmp?do=remove',
      after: () => isGone('/users/tmp'),
    },
    {
      title: 'ends the sessions of a user',
      make: () => personWith(console, 'tmp', ['Viewer']),
      page: '/access/users/tmp?do=end-sessions',
      after: async () => expect(await read('/sessions?user=tmp')).toMatchObject({ items: [] }),
      clear: '/users/tmp',
    },
    {
      title: 'rotates a secret and ends the other',
      make: async () => {
        await callApi(console, 'POST', '/clients', client);
        before = await secretsOf();
      },
      page: '/access/clients/tmp?do=rotate',
      chosen: { ends: 'all' },
      after: async () => {
        const secrets = await secretsOf();
        expect(secrets).toHaveLength(1);
        expect(before).not.toContain(secrets[0]);
      },
      clear: '/clients/tmp',
    },
    {
      title: 'ends a secret',
      make: async () => {
        await callApi(console, 'POST', '/clients', client);
        before = await secretsOf();
      },
      page: () => `/access/clients/tmp?do=end-secret&secret=${before[0]}`,
      chosen: { tokens: 'false' },
      after: async () => expect(await secretsOf()).toEqual([]),
      clear: '/clients/tmp',
    },
    {
      title: 'removes a machine client',
      make: () => callApi(console, 'POST', '/clients', client),
      page: '/access/clients/tmp?do=remove',
      after: () => isGone('/clients/tmp'),
    },
    {
      title: 'puts a change of a machine client back, while nobody has changed it since',
      make: async () => {
        await callApi(console, 'POST', '/clients', { ...client, displayName: 'First' });
        await callApi(console, 'PATCH', '/clients/tmp', { displayName: 'Second' });
        const { body } = await ada.get('/access/clients/tmp');
        before = [/href="([^"]*do=put-back[^"]*)"/.exec(body)![1]!.replaceAll('&amp;', '&')];
      },
      page: () => before[0]!,
      after: async () => expect(await read('/clients/tmp')).toMatchObject({ displayName: 'First' }),
      clear: '/clients/tmp',
    },
    {
      title: 'opens a call for a machine client',
      make: () => callApi(console, 'POST', '/clients', client),
      page: '/access/effective?do=open&client=tmp&method=GET&path=%2Fsvc%2Frest%2Fcluster',
      after: async () => {
        const { scopes } = (await read('/clients/tmp')) as { readonly scopes: readonly string[] };
        expect(scopes).toEqual([...client.scopes, 'svc:cluster:read']);
      },
      clear: '/clients/tmp',
    },
    {
      title: 'removes a role',
      make: () => callApi(console, 'POST', '/roles', { id: 'Tmp', permissions: ['svc:health:read'] }),
      page: '/access/roles/Tmp?do=remove',
      after: () => isGone('/roles/Tmp'),
    },
    {
      title: 'removes an identity provider',
      make: () => callApi(console, 'POST', '/identity-providers', upstream),
      page: '/access/identity-providers/tmp?do=remove',
      after: () => isGone('/identity-providers/tmp'),
    },
    {
      title: 'disables an identity provider',
      make: () => callApi(console, 'POST', '/identity-providers', upstream),
      page: '/access/identity-providers/tmp?do=disable',
      after: async () => expect(await read('/identity-providers/tmp')).toMatchObject({ enabled: false }),
      clear: '/identity-providers/tmp',
    },
    {
      title: 'removes an entry with a key that a shell would read',
      make: () =>
        callApi(console, 'PUT', `/maps/orders/entries/${encodeURIComponent("it's $1")}`, {
          value: Buffer.from('v').toString('base64'),
          type: 'text/plain',
        }),
      page: `/cluster/maps/orders/${encodeURIComponent("it's $1")}?do=remove`,
      after: () => isGone(`/maps/orders/entries/${encodeURIComponent("it's $1")}`),
    },
    {
      title: 'clears a map',
      make: () =>
        callApi(console, 'PUT', '/maps/orders/entries/a', {
          value: Buffer.from('v').toString('base64'),
          type: 'text/plain',
        }),
      page: '/cluster/maps/orders?do=clear',
      after: () => isGone('/maps/orders/entries/a'),
    },
    {
      title: 'replaces the signing keys at once',
      make: async () => {
        before = await keyIds();
      },
      page: '/settings/keys?do=rotate-now',
      after: async () => expect(before).not.toContain((await keyIds())[0]),
    },
    {
      title: 'changes the state of the cluster',
      make: () => callApi(console, 'POST', '/operations/state', { state: 'active' }),
      page: '/cluster/operations?do=state',
      chosen: { state: 'no_migration' },
      after: async () => expect(await read('/operations')).toMatchObject({ clusterState: 'no_migration' }),
    },
  ];

  /** Those that sign. */
  async function keyIds(): Promise<readonly string[]> {
    const { items } = (await read('/keys?limit=200')) as {
      readonly items: readonly { readonly id: string; readonly state: string }[];
    };
    return items.filter(({ state }) => state === 'current').map(({ id }) => id);
  }

  describe.each(cases)('$title', ({ make, page, chosen, after, clear }) => {
    test.each(['Command', 'API'])('as %s', async (language) => {
      await make?.();
      const question = await ada.get(typeof page === 'string' ? page : page());
      const shown = chosen ? await chosenWays(question, chosen) : question;
      const way = wayOf(shown, language);
      await (language === 'API' ? call(way) : type(way));
      await after();
      if (clear) await callApi(console, 'DELETE', clear);
    });
  });

  /** What is chosen is said once that is asked for, and nothing is done. */
  async function chosenWays(question: Reply, chosen: Readonly<Record<string, string>>): Promise<Reply> {
    expect(question.body).not.toContain('class="ways"');
    const name = new URL(question.url).searchParams.get('do')!;
    const secret = hiddenIn(question, 'secret');
    const fields = { ...chosen, ...(secret !== undefined && { secret }), show: 'ways' };
    const shown = await sendForm(ada, question, name, fields);
    expect([shown.status, textOf(shown).includes('Nothing is changed yet.')]).toEqual([200, true]);
    for (const value of Object.values(chosen))
      expect(shown.body).toMatch(new RegExp(`value="${value}" (?:selected|checked)`));
    return shown;
  }

  test('says of which version it is, so that it overwrites nothing when it is pasted late', async () => {
    await callApi(console, 'POST', '/clients', client);
    const page = '/access/effective?do=open&client=tmp&method=GET&path=%2Fsvc%2Frest%2Fcluster';
    const question = await ada.get(page);
    await callApi(console, 'PATCH', '/clients/tmp', { scopes: ['svc:health:read'] });
    await expect(type(wayOf(question, 'Command'))).rejects.toThrow('This has changed meanwhile');
    await expect(call(wayOf(question, 'API'))).rejects.toThrow('precondition_failed');
    expect(await read('/clients/tmp')).toMatchObject({ scopes: ['svc:health:read'] });
    await callApi(console, 'DELETE', '/clients/tmp');
  });

  describe('as a file', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'console-act-files-'));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    /** As its first line says. */
    async function apply(text: string): Promise<void> {
      const file = join(folder, 'own.yaml');
      await writeFile(file, text);
      const words = /^# npx console (.*)$/m.exec(text)![1]!.split(' ');
      const named = words.map((word) => (word === 'own.yaml' ? file : word));
      await toolDone(named, { dataDir: console.dataDir });
    }

    test('opens a call, and takes nothing else away', async () => {
      await callApi(console, 'POST', '/clients', { ...client, tokenTtlSeconds: 120, displayName: 'Tmp' });
      const page = '/access/effective?do=open&client=tmp&method=GET&path=%2Fsvc%2Frest%2Fcluster';
      const before = (await read('/clients/tmp')) as object;
      await apply(wayOf(await ada.get(page), 'YAML'));
      const after = {
        scopes: [...client.scopes, 'svc:cluster:read'],
        tokenTtlSeconds: 120,
        displayName: 'Tmp',
      };
      const { scopes, ...rest } = (await read('/clients/tmp')) as { readonly scopes: readonly string[] };
      expect({ ...rest, scopes: new Set(scopes) }).toMatchObject({ ...after, scopes: new Set(after.scopes) });
      expect(before).toMatchObject({ scopes: client.scopes });
      await callApi(console, 'DELETE', '/clients/tmp?takeOver=true');
    });

    test.each([
      { kind: 'Client', list: '/clients', thing: client, params: { client: 'tmp' } },
      { kind: 'User', list: '/users', thing: person, params: { user: 'tmp' } },
      { kind: 'IdentityProvider', list: '/identity-providers', thing: upstream, params: { provider: 'tmp' } },
    ])('disables and enables: $kind', async ({ kind, list, thing, params }) => {
      const path = `${list}/tmp`;
      await callApi(console, 'POST', list, thing);
      const isDisabled = async () => {
        const { status, enabled } = (await read(path)) as { status?: string; enabled?: boolean };
        return enabled === undefined ? status === 'disabled' : !enabled;
      };
      for (const [word, expected] of [['disable', true] as const, ['enable', false] as const]) {
        const asked = { operation: `${word}${kind}`, params, body: {} };
        const file = await fileOfAct(asked, async () => (await read(path)) as object, textsIn('en'));
        await apply(file!.snippets[0]!.text);
        expect(await isDisabled()).toBe(expected);
      }
      await callApi(console, 'DELETE', `${path}?takeOver=true`);
    });

    test.each([
      ['/settings/keys?do=rotate', 'This is an act and no state: no file of configuration holds it.'],
      [
        '/access/users/tmp?do=end-sessions',
        'This is an act and no state: no file of configuration holds it.',
      ],
      ['/access/users/tmp?do=remove', 'take users/tmp out of the file that describes it'],
      ['/access/clients/tmp?do=remove', 'take clients/tmp out of the file that describes it'],
    ])('%s has none, and says why', async (href, why) => {
      await callApi(console, 'POST', '/users', person);
      await callApi(console, 'POST', '/clients', client);
      const question = await ada.get(href);
      expect(textOf(question)).toContain(why);
      expect(question.body).not.toContain('<summary>YAML</summary>');
      await callApi(console, 'DELETE', '/users/tmp');
      await callApi(console, 'DELETE', '/clients/tmp');
    });
  });

  test.each(rows)('$operation has a file or says why not', async ({ operation, params = {}, body = {} }) => {
    const asked = { operation, params, body: body as Readonly<Record<string, unknown>> };
    const file = await fileOfAct(asked, async () => ({}), textsIn('en'));
    const isState = /^update(?!MemberConfig)|^(?:en|dis)able/.test(operation);
    const isDescribed = file!.snippets.some(({ language }) => language === 'YAML');
    expect([isDescribed, file!.why === undefined]).toEqual([isState, isState]);
  });

  test('a licence key is in none of them', async () => {
    const question = await ada.get('/cluster/operations?do=licence');
    const shown = await sendForm(ada, question, 'licence', { key: 'TOP-SECRET-KEY', show: 'ways' });
    expect(shown.status).toBe(200);
    expect(wayOf(shown, 'Command')).toBe('npx console cluster set-licence --key-file licence.key');
    expect(shown.body).not.toContain('TOP-SECRET-KEY');
  });

  test('in German too', async () => {
    const question = await ada.get('/settings/keys?do=rotate', { 'accept-language': 'de' });
    expect(wayOf(question, 'Befehl')).toBe('npx console keys rotate');
  });

  /** A person at a terminal types a name where these are asked. */
  async function type(line: string): Promise<void> {
    const { stdout } = await run('bash', ['-c', line.replace('npx console', "printf '%s\\0'")], {});
    const words = stdout.split('\0').slice(0, -1);
    const { command, input } = parseArguments(words, commands);
    const isAsked = command.asks?.(input) !== undefined;
    await toolDone([...words, ...(isAsked ? ['--yes'] : [])], { dataDir: console.dataDir });
  }

  async function call(text: string): Promise<void> {
    const env = { TOKEN: await apiToken(console) };
    const script = text.replace('curl ', 'curl --fail-with-body -sS ');
    const { code, stdout, stderr } = await run('bash', ['-ec', script], { env });
    expect(code, `${text}\n${stdout}${stderr}`).toBe(0);
  }
});

function wayOf({ body }: Reply, language: string): string {
  const html = new RegExp(
    `<summary>${language}</summary><div class="copyable"><pre class="snippet"[^>]*><code>([^<]*)</code>`,
  ).exec(body);
  return html![1]!.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => characters[entity]!);
}

const characters: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};
