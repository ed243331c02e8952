/** A client that is as it is described is found so by a look: nothing is tried, which would cost as much as a change. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../console/admin-api/table.ts';
import { isSurelySame } from '../../console/configuration/comparison.ts';
import { kindsOf } from '../../console/configuration/object-kinds.ts';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type ApiCaller, apiCaller } from './support.ts';

let console: RunningConsole;
let call: ApiCaller;
beforeAll(async () => {
  console = await startConsole();
  call = apiCaller(console, '', await apiToken(console));
});
afterAll(() => console?.stop());

const redirectUris = ['https://wiki.example.com/callback'];
const rows = [
  { id: 'of-nothing', key: 'clients', said: {} },
  { id: 'machine', key: 'clients', said: { scopes: ['svc:health:read'], tokenTtlSeconds: 120, dpop: true } },
  { id: 'by-address', key: 'clients', said: { redirectUris } },
  { id: 'by-grant', key: 'clients', said: { redirectUris, grants: ['authorization_code'] } },
  { id: 'public', key: 'applications', said: { redirectUris, isPublic: true, pkce: 'required' } },
  { id: 'public-implied', key: 'applications', said: { redirectUris, isPublic: true } },
  { id: 'first-party', key: 'applications', said: { redirectUris, firstParty: true } },
  { id: 'with-roles', key: 'applications', said: { redirectUris, maxRoles: ['Viewer'], pkce: 'optional' } },
];

test.each(rows)('$id is surely the same as it is described, and not when anything else is', async (row) => {
  const kind = kindsOf(operations).find(({ key }) => key === row.key)!;
  const { status, body } = await call('PUT', `${kind.path}/${row.id}`, row.said);
  expect(status, JSON.stringify(body)).toBe(201);
  const isSame = (said: object) => isSurelySame({ ...said }, body, kind.fields, kind.put.implied);
  expect(isSame(row.said)).toBe(true);
  const others = [
    { displayName: 'Else' },
    { scopes: ['openid'] },
    { isPublic: !body.isPublic },
    { firstParty: !body.firstParty },
    { redirectUris: ['https://else.example.com/callback'] },
    { grants: ['refresh_token'] },
    { pkce: 'nonce', tokenAlg: 'ES256' },
    { maxRoles: ['Admin'] },
    { unknown: null },
    // Not checked yet: the check is to say what is wrong.
    { redirectUris: 5 },
    { grants: 'authorization_code' },
    { grants: {} },
  ];
  expect(others.map((other) => [other, isSame({ ...row.said, ...other })])).toEqual(
    others.map((other) => [other, false]),
  );
});
