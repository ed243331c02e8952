/** The same version replaced, or removed, by several at the same time: one of them does it, and nothing is lost. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { type Api, createApi } from './bad-input-api.ts';

let console: RunningConsole;
let api: Api;
beforeAll(async () => {
  console = await startConsole({ env: { CONSOLE_WORKERS: '2' } });
  api = await createApi(console);
});
afterAll(() => console?.stop());

const redirectUris = ['https://wiki.example.com/callback'];
const provider = {
  kind: 'oidc',
  issuer: 'https://idp.example',
  clientId: 'console',
  clientAuth: 'none',
  defaultRole: 'Viewer',
};
/** A good body, and the member by which several of them differ. */
const kinds = [
  { path: '/users/grace', body: { roles: ['Viewer'] }, differs: 'displayName' },
  { path: '/roles/Readers', body: { permissions: ['svc:health:read'] }, differs: 'description' },
  { path: '/clients/machine', body: { scopes: ['svc:health:read'] }, differs: 'displayName' },
  { path: '/applications/wiki', body: { redirectUris }, differs: 'displayName' },
  { path: '/identity-providers/corp', body: provider, differs: 'name' },
] as const;

describe.each(kinds.map((kind) => [kind.path, kind] as const))('%s', (path, { body, differs }) => {
  const bodyOf = (value: string) => ({ ...body, [differs]: value });
  const tagOf = async () => (await api.call('GET', path)).headers.get('etag')!;

  test('is made once by four who replace what is not there, and by nobody else', async () => {
    const replies = await four((n) =>
      api.call('PUT', path, { body: bodyOf(`First ${n}`), headers: { 'If-None-Match': '*' } }),
    );
    expect(statusesOf(replies)).toEqual([201, 412, 412, 412]);
    const made = replies.find(({ status }) => status === 201)!;
    expect((await api.call('GET', path)).body[differs]).toBe(made.body[differs]);
  });

  test('is replaced by one of four who have seen the same version', async () => {
    const tag = await tagOf();
    const replies = await four((n) =>
      api.call('PUT', path, { body: bodyOf(`Second ${n}`), headers: { 'If-Match': tag } }),
    );
    expect(statusesOf(replies)).toEqual([200, 412, 412, 412]);
    const done = replies.find(({ status }) => status === 200)!;
    const shown = await api.call('GET', path);
    expect(shown.body[differs]).toBe(done.body[differs]);
    for (const { body: lost } of replies.filter(({ status }) => status === 412)) {
      expect(lost.current).toBe(shown.headers.get('etag'));
    }
  });

  test('is not removed by whoever has seen the version before a change of the same moment', async () => {
    const tag = await tagOf();
    const headers = { 'If-Match': tag };
    const [changed, removed] = await Promise.all([
      api.call('PUT', path, { body: bodyOf('Third'), headers }),
      api.call('DELETE', path, { headers }),
    ]);
    const shown = await api.call('GET', path);
    if (changed.status === 200) {
      expect([removed.status, shown.status, shown.body[differs]]).toEqual([412, 200, 'Third']);
    } else {
      expect([changed.status, removed.status, shown.status]).toEqual([412, 204, 404]);
      await api.done('PUT', path, bodyOf('Third'));
    }
  });

  test('is removed by one of four', async () => {
    const headers = { 'If-Match': await tagOf() };
    const replies = await four(() => api.call('DELETE', path, { headers }));
    const [done, ...others] = statusesOf(replies);
    expect(done).toBe(204);
    for (const status of others) expect([404, 412]).toContain(status);
    expect((await api.call('GET', path)).status).toBe(404);
  });
});

test('a name that four give to a new account at once is taken by one, and the others learn that it is there', async () => {
  for (let i = 0; i < 25; i++) {
    const replies = await four((n) =>
      api.call('PUT', `/users/new-${i}`, {
        body: { displayName: `New ${n}` },
        headers: { 'If-None-Match': '*' },
      }),
    );
    expect(statusesOf(replies)).toEqual([201, 412, 412, 412]);
  }
});

function four<T>(call: (n: number) => Promise<T>): Promise<T[]> {
  return Promise.all([1, 2, 3, 4].map(call));
}

function statusesOf(replies: readonly { readonly status: number }[]): number[] {
  return replies.map(({ status }) => status).sort();
}
