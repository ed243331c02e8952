/** A program on the types that openapi-typescript writes from a console's description. */
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const api = createClient<paths>({
  baseUrl: `${process.env.CONSOLE}/api/v1`,
  headers: { Authorization: `Bearer ${process.env.TOKEN}` },
});
const made = await api.POST('/clients', {
  body: { id: 'made-by-typescript', displayName: 'Made', scopes: ['svc:map:orders-*:read'] },
});
const listed = await api.GET('/clients', { params: { query: { limit: 100 } } });
const path = { client: 'full-typescript' };
const before = await api.GET('/clients/{client}', { params: { path } });
const patched = await api.PATCH('/clients/{client}', { params: { path }, body: { displayName: 'Renamed' } });
const rejected = await api.PATCH('/clients/{client}', {
  params: { path },
  body: { scopes: ['svc:nothing:read'] },
});
console.log(
  JSON.stringify({
    made: made.data?.id === 'made-by-typescript',
    listed: typeof listed.data === 'object' ? listed.data.items.map(({ id }) => id) : [],
    before: before.data?.displayName,
    after: patched.data?.displayName,
    code: rejected.error?.code,
    pointer: rejected.error?.errors?.[0]?.pointer,
  }),
);
