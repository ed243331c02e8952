/**
 * Bad input by whose an object is: what files of configuration own, and the account of who calls. Each operation on what
 * can be described is in one of the columns, a new one too.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../console/admin-api/table.ts';
import { objectKinds } from '../../console/configuration/object-kinds.ts';
import { exampleOf } from '../../console/description/examples.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { authorizationPath, callbackOf, redeem } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { type Api, createApi } from './bad-input-api.ts';
import { type ApiCaller, apiCaller } from './support.ts';

type TableOperation = (typeof operations)[number];

const redirectUris = ['https://wiki.example.com/callback'];
const described = {
  roles: { OwnedRole: { permissions: ['svc:map:orders:read'] } },
  identityProviders: {
    owned: {
      kind: 'oidc',
      issuer: 'https://idp.example',
      clientId: 'console',
      clientAuth: 'none',
      defaultRole: 'Viewer',
    },
  },
  clients: { 'owned-client': { scopes: ['svc:health:read'] } },
  applications: { 'owned-app': { redirectUris } },
  users: { owned: { roles: ['Viewer'] } },
};
const secrets = [{ id: 'a', from: { value: 'owned-0123456789-abcdefghijklmnopq' } }];

/** Of each object by the first word of its path. */
const idOf: Readonly<Record<string, string>> = Object.fromEntries(
  objectKinds.map(({ key, path }) => [
    path.slice(1),
    Object.keys((described as Readonly<Record<string, object>>)[key]!)[0]!,
  ]),
);

/** What they do in an emergency is done, and held. */
const emergencies = [
  'disableIdentityProvider',
  'disableClient',
  'deleteClientSecret',
  'disableApplication',
  'deleteApplicationSecret',
  'disableUser',
  'endUserSessions',
];
/** They change nothing that is described. */
const others = [
  'enableIdentityProvider',
  'testIdentityProvider',
  'enableClient',
  'tryClient',
  'callAsClient',
  'enableApplication',
  'tryApplication',
  'enableUser',
  'inviteUser',
  'resetUserPassword',
];

const onObjects = operations.filter(
  ({ path, params, method }) =>
    params && method !== 'GET' && objectKinds.some((kind) => path.startsWith(`${kind.path}/`)),
);
const refused = onObjects.filter(({ id }) => !emergencies.includes(id) && !others.includes(id));

let console: RunningConsole;
let api: Api;
beforeAll(async () => {
  console = await startConsole();
  api = await createApi(console);
  const withSecrets = {
    ...described,
    clients: { 'owned-client': { ...described.clients['owned-client'], secrets } },
    applications: { 'owned-app': { ...described.applications['owned-app'], secrets } },
  };
  const document = { version: 1, source: 'owners', ...withSecrets };
  const { body } = await api.done('POST', '/configuration/plans', { document });
  await api.done('POST', `/configuration/plans/${body.id}/apply`);
}, 60_000);
afterAll(() => console?.stop());

test('every operation on what can be described stands in a column', () => {
  const known = onObjects.map(({ id }) => id);
  expect([...emergencies, ...others].filter((id) => !known.includes(id))).toEqual([]);
  expect(refused.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}.*\//, '{id}/')}`)).toEqual(
    expect.arrayContaining(objectKinds.map(({ path }) => expect.stringContaining(`DELETE ${path}/`))),
  );
});

describe.each(refused.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
  test.each(['', '?takeOver=false', '?dryRun=true'])(
    'of what files of configuration own is refused, and changes nothing %s',
    async (query) => {
      const address = `/${operation.object}/${idOf[operation.object]}`;
      const before = await api.call('GET', address);
      const reply = await api.call(operation.method, addressOf(operation) + query, bodyOf(operation));
      expect([reply.status, reply.body.code], reply.text).toEqual([409, 'owned_by_code']);
      const after = await api.call('GET', address);
      expect([after.text, after.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')]);
      expect((after.body.owner as { source: string }).source).toBe('owners');
    },
  );
});

describe.each(onObjects.filter(({ id }) => emergencies.includes(id)).map((one) => [one.id, one] as const))(
  '%s',
  (_id, operation) => {
    test('of what files of configuration own is done, and held in the view, in plans and in drift', async () => {
      const address = `/${operation.object}/${idOf[operation.object]}`;
      const reply = await api.call(operation.method, addressOf(operation), bodyOf(operation));
      expect(reply.status, reply.text).toBeLessThan(300);
      const { body } = await api.call('GET', address);
      const hold = { by: 'application-client', reason: operation.event, at: expect.stringMatching(/Z$/) };
      expect(body).toMatchObject({ owner: { kind: 'code', source: 'owners' }, hold });
      const drift = await api.done('GET', '/configuration/drift?source=owners');
      const { steps } = (drift.body.items as { steps: { id: string; action: string }[] }[])[0]!;
      expect(steps).toContainEqual(
        expect.objectContaining({ id: idOf[operation.object], action: 'held', hold }),
      );
      const enable = await api.call('POST', `${address}/enable`);
      expect([200, 404]).toContain(enable.status);
      expect((await api.call('GET', address)).body.hold).toBeNull();
    });
  },
);

describe('the account of who calls', () => {
  const own = [
    ['putUser', 'PUT', '', { roles: ['Viewer'] }],
    ['updateUser', 'PATCH', '', { roles: ['Viewer'] }],
    ['deleteUser', 'DELETE', '', undefined],
    ['disableUser', 'POST', '/disable', undefined],
  ] as const;
  /** They leave the account to who has it. */
  const harmless = ['enableUser', 'endUserSessions', 'inviteUser', 'resetUserPassword'];
  let person: ApiCaller;

  beforeAll(async () => {
    const password = 'seven-grey-herons-4';
    await api.done('POST', '/users', { id: 'own', password, roles: ['Admin'] });
    const agent = createUserAgent(console.url);
    await agent.signIn({ username: 'own', password });
    const resource = `${console.url}/api`;
    const callback = callbackOf(await agent.follow(await agent.get(authorizationPath({ resource }))));
    const { body: tokens } = await redeem(console, callback.get('code'));
    person = apiCaller(console, '', tokens.access_token);
  });

  test('is in a column of each operation on an account', () => {
    const known = onObjects.filter(({ object }) => object === 'users').map(({ id }) => id);
    expect([...own.map(([id]) => id), ...harmless].sort()).toEqual([...known].sort());
  });

  test.each(own)('is not what %s shuts out', async (_id, method, rest, body) => {
    const before = await person('GET', '/users/own');
    expect(before.status).toBe(200);
    const reply = await person(method, `/users/own${rest}`, body);
    expect([reply.status, reply.body.code]).toEqual([409, 'own_account']);
    const after = await person('GET', '/users/own');
    expect([after.body, after.headers.get('etag')]).toEqual([before.body, before.headers.get('etag')]);
  });
});

function addressOf({ path, object }: TableOperation): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'secret' ? 'a' : idOf[object]!));
}

/** As good as one can be, so that nothing but the owner is in the way. */
function bodyOf({ id, method, body, object }: TableOperation): { body?: unknown } {
  if (!body) return {};
  if (id.endsWith('Secret')) return { body: {} };
  if (object === 'applications') return { body: { redirectUris } };
  if (object === 'identity-providers') {
    return { body: method === 'PUT' ? described.identityProviders.owned : { name: 'Another' } };
  }
  return { body: exampleOf(body) };
}
