/** What a custom role may be called, may open and may say of itself. */
import { describe, expect, test } from 'vitest';
import { checkName, checkPermissions, describedBy } from '../../console/accounts/custom-role-form.ts';

const invalid = expect.objectContaining({ problem: expect.objectContaining({ code: 'invalid_request' }) });
const errorOf = (work: () => unknown): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('a name', () => {
  test.each(['Ops', 'o', 'on-call_2.eu', 'Administrator', 'Viewers', 'o'.repeat(64)])('%s is one', (name) => {
    expect(errorOf(() => checkName(name))).toBeUndefined();
  });

  test.each([
    '',
    '2nd',
    '_ops',
    'on call',
    'Öps',
    'ops\n',
    'o'.repeat(65),
    'admin',
    'ROLE_Admin',
    'role_viewer',
    'None',
    'role_none',
    'constructor',
    'toString',
    'hasOwnProperty',
  ])('%j is none', (name) => {
    expect(errorOf(() => checkName(name))).toEqual(invalid);
  });
});

describe('permissions', () => {
  const isPermission = (text: string) => text.startsWith('svc:');

  test('are each there once, in the order in which they were given', () => {
    const given = ['svc:b', 'svc:a', 'svc:b'];
    expect(checkPermissions(given, isPermission)).toEqual(['svc:b', 'svc:a']);
  });

  test.each([[[]], [['svc:a', 'other']], [['']], [[`svc:${'a'.repeat(253)}`]]])('are not %j', (given) => {
    expect(errorOf(() => checkPermissions(given, isPermission))).toEqual(invalid);
  });

  test('that are the same one a thousand times are not too many', () => {
    expect(checkPermissions(Array(1000).fill('svc:a'), isPermission)).toEqual(['svc:a']);
  });
});

test.each([undefined, ''])('a description %j is none', (given) => {
  expect(describedBy(given)).toEqual({});
});

test.each(['two\nlines', 'a\u0000b', '\u202egnp', 'd'.repeat(201)])('a description is not %j', (given) => {
  expect(errorOf(() => describedBy(given))).toEqual(invalid);
});
