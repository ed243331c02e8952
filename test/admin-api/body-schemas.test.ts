/** Bodies of the admin API: their members are documented, and refusals name them. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { operations } from '../../console/admin-api/table.ts';
import { changedProvider, newProvider } from '../../console/federation/providers/input-schema.ts';
import { apiToken, startConsole } from '../helpers/console.ts';

const bodyOf = (id: string) => operations.find((one) => one.id === id)!.body as z.ZodObject;
const [newRole, changedRole] = [bodyOf('createRole'), bodyOf('updateRole')];
const [newClient, changedClient] = [bodyOf('createClient'), bodyOf('updateClient')];
const newSecret = bodyOf('createClientSecret');
const schemas = { newRole, changedRole, newClient, changedClient, newSecret, newProvider, changedProvider };
const docs = resolve(import.meta.dirname, '../../docs');

test('every member of a body stands in the documentation', () => {
  const text = readFileSync(join(docs, 'admin-api.md'), 'utf8');
  const members = [...new Set(Object.values(schemas).flatMap(({ shape }) => Object.keys(shape)))];
  expect(members.length).toBeGreaterThan(45);
  expect(members.filter((member) => !text.includes(`\`${member}\``))).toEqual([]);
});

test('a refused body says which member is wrong and why, and repeats no value', async () => {
  const console = await startConsole();
  try {
    const token = await apiToken(console);
    const secret = 'marmot-0123456789-abcdefghij';
    const details: string[] = [];
    const bodies = [
      ['POST', 'roles', { id: 'Reader', permissions: [7] }],
      ['POST', 'roles', { id: 'Reader', permissions: ['svc:health:read'], [secret.slice(0, 6)]: secret }],
      ['PATCH', 'roles/Reader', {}],
      ['PATCH', 'roles/Reader', [secret]],
      ['PATCH', 'clients/application-client', { scopes: secret }],
      ['POST', 'identity-providers', { id: 'corp', kind: secret }],
      ['PATCH', 'identity-providers/corp', { startTls: secret, url: '' }],
    ] as const;
    for (const [method, path, body] of bodies) {
      const response = await fetch(`${console.url}/api/v1/${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      const problem = (await response.json()) as { code: string; detail: string };
      expect([path, response.status, problem.code]).toEqual([path, 400, 'invalid_request']);
      details.push(problem.detail);
    }
    expect(details).toEqual([
      'Not as it should be: permissions.0 (it has to be text).',
      'Not as it should be: a member that is not known (known are permissions, description, id).',
      'Not as it should be: the body (give at least one member).',
      'Not as it should be: the body (it has to be an object).',
      'Not as it should be: scopes (it has to be a list).',
      'Not as it should be: kind (it is one of oidc, saml, ldap).',
      'Not as it should be: url (it may not be empty), startTls (it has to be true or false).',
    ]);
  } finally {
    await console.stop();
  }
});
