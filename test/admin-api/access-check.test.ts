/** What is dangerous: who may do it, and how long after a sign-in (RFC 9470). */
import { expect, test } from 'vitest';
import { checkAccess } from '../../console/operations/access-check.ts';
import type { Actor } from '../../console/operations/actor.ts';
import { createGrantCheck, type Privileges } from '../../console/operations/privileges.ts';
import { ProblemError } from '../../platform/errors.ts';

const now = 1_764_000_000_000;
const custom: Readonly<Record<string, readonly string[]>> = {
  Keeper: ['api:users:write'],
  KeeperOfAll: ['api:*:write'],
};
const asked = { object: 'users', access: 'write', isDangerous: true } as const;

function outcome(actor: Partial<Actor>) {
  const whole: Actor = { kind: 'user', id: 'x', via: 'api', roles: [], scopes: [], ...actor };
  try {
    checkAccess(asked, whole, { permissionsOf: (role) => custom[role], now: () => now });
    return 'done';
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return [error.problem.status, error.problem.code, error.headers['WWW-Authenticate']];
  }
}
const reauth = [
  401,
  'reauth_required',
  'Bearer error="insufficient_user_authentication", max_age=300',
] as const;
const insufficient = [
  403,
  'insufficient_scope',
  'Bearer error="insufficient_scope", scope="api:users:write"',
];
const ago = (seconds: number) => now / 1000 - seconds;

test.each<[string, Partial<Actor>, unknown]>([
  ['an administrator who has just signed in', { roles: ['Admin'], signedInAt: ago(0) }, 'done'],
  ['an administrator after 300 s', { roles: ['Admin'], signedInAt: ago(300) }, 'done'],
  ['an administrator after 301 s', { roles: ['Admin'], signedInAt: ago(301) }, reauth],
  ['an administrator of whom nobody knows when', { roles: ['Admin'] }, reauth],
  ['somebody with a custom role', { roles: ['Keeper'], signedInAt: ago(9) }, 'done'],
  ['somebody with a custom role, too late', { roles: ['Keeper'], signedInAt: ago(999) }, reauth],
  ['somebody with a custom role for every object', { roles: ['KeeperOfAll'], signedInAt: ago(9) }, 'done'],
  ['a viewer', { roles: ['Viewer'], signedInAt: ago(0) }, insufficient],
  ['a person of no role', { signedInAt: ago(0) }, insufficient],
  ['a machine that was given it by name', { kind: 'client', scopes: ['api:users:write'] }, 'done'],
  ['a machine that was given everything', { kind: 'client', scopes: ['api:*:write'] }, insufficient],
  ['a machine that may read', { kind: 'client', scopes: ['api:users:read'] }, insufficient],
  ['the machine that is an administrator', { kind: 'client', roles: ['Admin'] }, 'done'],
  ['whoever can open the store', { kind: 'local' }, 'done'],
])('%s (S49, S55)', (_who, actor, expected) => {
  expect(outcome(actor)).toEqual(expected);
});

const elevated: Actor = {
  kind: 'user',
  id: 'x',
  via: 'api',
  roles: ['Viewer', 'Admin'],
  elevation: { id: 'elv_1', roles: ['Admin'], endsAt: now + 1000 },
  scopes: [],
  signedInAt: ago(0),
};
const permissionsOf = (role: string) => (role === 'Admin' ? ('all' as const) : custom[role]);

test.each([
  ['users', 'write', true],
  ['configuration', 'read', true],
  ['configuration', 'write', false],
  ['imports', 'write', false],
  ['backups', 'write', false],
  ['settings', 'write', false],
] as const)(
  'a role for a while does not open what could make it stay: %s, %s (S55)',
  (object, access, isOpen) => {
    const check = (actor: Actor) => () =>
      checkAccess({ object, access }, actor, { permissionsOf, now: () => now });
    const { elevation: _elevation, ...base } = elevated;
    expect(check(base)).not.toThrow();
    if (isOpen) expect(check(elevated)).not.toThrow();
    else expect(check(elevated)).toThrow(/This needs the role Admin/);
  },
);

test('a role for a while is nothing to give to others, and those that stay are (S55)', () => {
  const check =
    (these: Privileges, actor = elevated) =>
    () =>
      createGrantCheck(actor, permissionsOf)(these);
  expect(check({ roles: ['Viewer', 'MetricsViewer'] })).not.toThrow();
  for (const more of [
    { roles: ['Admin'] },
    { scopes: ['svc:data:write'] },
    { permissions: ['api:users:write'] },
  ]) {
    expect(check(more)).toThrow(/Nobody gives or changes what has more than they have/);
    expect(check(more, { ...elevated, elevation: undefined })).not.toThrow();
  }
});
