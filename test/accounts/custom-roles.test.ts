/** Custom roles at the edges of what they may be, and when several administrators change them at the same time. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RoleRecord } from '../../console/storage/records.ts';
import { admin, apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { authorizationPath, redeem, signInForTokens, userinfo } from '../helpers/sign-in.ts';
import { addClient, copyUser, editUser, thirdParty, withStore } from '../helpers/store.ts';
import { createUserAgent, textOf } from '../helpers/user-agent.ts';

const permissions = ['svc:health:read'];

let console: RunningConsole;
let token: string;
beforeAll(async () => {
  console = await startConsole();
  token = await apiToken(console);
});
afterAll(() => console?.stop());

async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${console.url}/api/v1/roles${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    tag: response.headers.get('etag') ?? '',
    body: text === '' ? undefined : JSON.parse(text),
  };
}
const statusesOf = (calls: readonly Promise<{ status: number }>[]) =>
  Promise.all(calls).then((replies) => replies.map(({ status }) => status).sort());

describe('the largest is taken, and one more is not (S53)', () => {
  const maps = (count: number) => Array.from({ length: count }, (_, n) => `svc:map:m${n}:read`);
  const mapOf = (length: number) => `svc:map:${'m'.repeat(length - 'svc:map::read'.length)}:read`;

  test.each([
    { name: 'permissions', most: { permissions: maps(100) }, more: { permissions: maps(101) } },
    { name: 'characters of one', most: { permissions: [mapOf(256)] }, more: { permissions: [mapOf(257)] } },
    {
      name: 'characters of a description',
      most: { permissions, description: 'd'.repeat(200) },
      more: { permissions, description: 'd'.repeat(201) },
    },
  ])('$name (S53)', async ({ most, more }) => {
    expect(await call('POST', '', { id: 'Edge', ...most })).toMatchObject({ status: 201, body: most });
    const refused = await call('PATCH', '/Edge', more);
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
    expect((await call('GET', '/Edge')).body).toMatchObject(most);
    expect((await call('DELETE', '/Edge')).status).toBe(204);
    expect((await call('POST', '', { id: 'Edge', ...more })).status).toBe(400);
  });

  test('characters of a name (S53)', async () => {
    const name = 'n'.repeat(64);
    expect((await call('POST', '', { id: name, permissions })).status).toBe(201);
    expect((await call('POST', '', { id: `${name}n`, permissions })).status).toBe(400);
    expect((await call('DELETE', `/${name}`)).status).toBe(204);
  });

  test('the same permission twice is one', async () => {
    const twice = await call('POST', '', { id: 'Twice', permissions: [...permissions, ...permissions] });
    expect(twice).toMatchObject({ status: 201, body: { permissions } });
    expect((await call('DELETE', '/Twice')).status).toBe(204);
  });

  test.each(['\u202e', '\u2028', '\u0085', '\u001b[31m', '\u2066'])(
    'a description with %j, which would be drawn as something else, is refused (S52)',
    async (sign) => {
      const refused = await call('POST', '', { id: 'Drawn', permissions, description: `a${sign}b` });
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
    },
  );

  test('500 roles; then one has to go before another comes (S83)', async () => {
    const role = (n: number): RoleRecord => ({ id: `Kept${n}`, permissions, createdAt: 0 });
    await withStore(console.dataDir, ({ registry }) =>
      registry.update((transaction) => {
        for (let n = 0; n < 499; n++) transaction.put('roles', role(n));
      }),
    );
    // Two want the last place.
    const last = ['One', 'Other'].map((name) => call('POST', '', { id: name, permissions }));
    expect(await statusesOf(last)).toEqual([201, 409]);
    expect((await call('PATCH', '/Kept7', { description: 'changed' })).status).toBe(200);
    expect((await call('DELETE', '/Kept7')).status).toBe(204);
    expect((await call('POST', '', { id: 'Kept7', permissions })).status).toBe(201);
    await withStore(console.dataDir, ({ registry }) =>
      registry.update((transaction) => {
        for (const id of transaction.all('roles').keys()) transaction.remove('roles', id);
      }),
    );
  });
});

describe('changes at the same time', () => {
  test('of those who add one name, in whatever case, one does', async () => {
    const names = ['Shared', 'shared', 'SHARED', 'Shared'];
    const added = names.map((name) => call('POST', '', { id: name, permissions }));
    expect(await statusesOf(added)).toEqual([201, 409, 409, 409]);
    const { items } = (await call('GET', '')).body as { items: { id: string; builtIn: boolean }[] };
    const [left, ...others] = items.filter(({ builtIn }) => !builtIn);
    expect(names).toContain(left!.id);
    expect(others).toEqual([]);
    expect((await call('DELETE', `/${left!.id}`)).status).toBe(204);
  });

  test('of those who change what they have read, one does, and nothing is half one and half another', async () => {
    const { tag } = await call('POST', '', { id: 'Read', permissions });
    const changes = Array.from({ length: 4 }, (_, n) => ({
      permissions: [`svc:map:m${n}:read`],
      description: `by ${n}`,
    }));
    const replies = changes.map((change) => call('PATCH', '/Read', change, { 'If-Match': tag }));
    expect(await statusesOf(replies)).toEqual([200, 412, 412, 412]);
    const { body } = await call('GET', '/Read');
    expect(changes).toContainEqual({ permissions: body.permissions, description: body.description });
  });

  test('of those who remove it, one does', async () => {
    const removed = Array.from({ length: 3 }, () => call('DELETE', '/Read'));
    expect(await statusesOf(removed)).toEqual([204, 404, 404]);
  });
});

describe('a role that is removed (S34)', () => {
  test('ends sessions and tokens of who had it, and nobody else’s (S34)', async () => {
    await call('POST', '', { id: 'Going', permissions });
    await copyUser(console, 'ada', 'holder');
    await editUser(console, 'holder', (user) => ({ ...user, roles: ['Going', 'Viewer'] }));
    const [agent, other] = [createUserAgent(console.url), createUserAgent(console.url)];
    const credentials = { ...admin, username: 'holder' };
    const held = await signInForTokens(console, agent, {}, credentials);
    const kept = await signInForTokens(console, other);
    expect((await call('GET', '/Going')).body.users).toEqual(['holder']);
    expect((await call('DELETE', '/Going')).status).toBe(204);
    expect((await agent.get('/account')).status).toBe(303);
    expect((await userinfo(console, held.access_token)).status).toBe(401);
    expect((await userinfo(console, kept.access_token)).status).toBe(200);

    // One of the same name is not theirs.
    await call('POST', '', { id: 'Going', permissions });
    expect((await call('GET', '/Going')).body.users).toEqual([]);
    expect(textOf(await agent.signIn(credentials))).not.toContain('Going');
    expect((await call('DELETE', '/Going')).status).toBe(204);
  });

  test('is taken from all who have it, of whom a hundred are named (S34)', async () => {
    await call('POST', '', { id: 'Common', permissions });
    const people = Array.from({ length: 230 }, (_, number) => `common-${number}`);
    await withStore(console.dataDir, ({ records }) =>
      records.change(async (transaction) => {
        const ada = (await transaction.userByName('ada'))!;
        for (const username of people) {
          transaction.put('users', { ...ada, id: username, username, roles: ['Common', 'Viewer'] });
        }
      }),
    );
    const { body } = await call('GET', '/Common');
    expect([body.userCount, body.users.length]).toEqual([230, 100]);
    for (const name of body.users) expect(people).toContain(name);
    expect((await call('DELETE', '/Common')).status).toBe(204);
    await withStore(console.dataDir, async ({ records }) => {
      expect(await records.count('users', { role: 'Common' })).toBe(0);
      expect((await records.userByName('common-229'))?.roles).toEqual(['Viewer']);
    });
  });

  test('whose name somebody still has is not theirs when it is added again (S34)', async () => {
    await copyUser(console, 'ada', 'ghost');
    await editUser(console, 'ghost', (user) => ({ ...user, roles: ['Ghostly'] }));
    await addClient(console.dataDir, { ...thirdParty, id: 'ghost-app', maxRoles: ['Ghostly'] });
    expect((await call('POST', '', { id: 'Ghostly', permissions })).body.users).toEqual([]);
    await withStore(console.dataDir, async ({ records }) => {
      expect((await records.userByName('ghost'))?.roles).toEqual([]);
      expect((await records.get('clients', 'ghost-app'))?.maxRoles).toEqual([]);
    });
    expect((await call('DELETE', '/Ghostly')).status).toBe(204);
  });

  test('is in no application’s ceiling any more, and what the application had is void (S34)', async () => {
    await call('POST', '', { id: 'Ceiling', permissions });
    await addClient(console.dataDir, { ...thirdParty, maxRoles: ['Ceiling', 'Viewer'] });
    const redirect = { client_id: thirdParty.id, redirect_uri: thirdParty.redirectUris[0]! };
    const agent = createUserAgent(console.url);
    await agent.signIn();
    const consent = await agent.follow(await agent.get(authorizationPath(redirect)));
    const end = await agent.follow(await agent.submit(consent, { decision: 'allow' }));
    const code = new URL(end.headers.location!).searchParams.get('code');
    const { body } = await redeem(console, code, redirect);
    expect((await userinfo(console, body.access_token)).status).toBe(200);
    expect((await call('DELETE', '/Ceiling')).status).toBe(204);
    expect((await userinfo(console, body.access_token)).status).toBe(401);
    const client = await withStore(console.dataDir, ({ records }) => records.get('clients', thirdParty.id));
    expect(client?.maxRoles).toEqual(['Viewer']);
  });
});
