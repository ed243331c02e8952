import { describe, expect, test } from 'vitest';
import { attributesOf, identityOf } from '../../console/federation/oidc/claims.ts';

describe('claims as attributes for role rules', () => {
  test.each([
    ['text', { team: 'a' }, { team: ['a'] }],
    ['numbers and truth', { level: 3, staff: true }, { level: ['3'], staff: ['true'] }],
    ['lists', { groups: ['a', 'b', 4] }, { groups: ['a', 'b', '4'] }],
    ['members of objects', { realm_access: { roles: ['a'] } }, { 'realm_access.roles': ['a'] }],
    ['what is neither, left out', { one: null, two: [], three: [{}, null] }, {}],
    ['deeper than four, left out', { a: { b: { c: { d: 1, e: { f: 2 } } } } }, { 'a.b.c.d': ['1'] }],
  ])('%s', (_name, claims, attributes) => {
    expect(attributesOf(claims)).toEqual(attributes);
  });

  test.each([
    ['before', { 'a.b': 'claim', a: { b: 'member' } }],
    ['after', { a: { b: 'member' }, 'a.b': 'claim' }],
  ])('a member of an object does not pass for a claim of that name, %s it (S45)', (_name, claims) => {
    expect(attributesOf(claims)['a.b']).toEqual(['claim']);
  });
});

test('names that every object inherits are names like others', () => {
  const claims = JSON.parse('{"__proto__":["Admin"],"constructor":"x"}') as Record<string, unknown>;
  const attributes = attributesOf(claims);
  expect(Object.getPrototypeOf(attributes)).toBe(Object.prototype);
  expect(Object.keys(attributes)).toEqual(['__proto__', 'constructor']);
});

test('what is not text is no name and no address', () => {
  const identity = identityOf({ sub: 'ada', name: 5, email: ['a@b'], preferred_username: '' }, 'token');
  expect(identity).toMatchObject({ subject: 'ada', session: { hint: 'token' } });
  expect(Object.keys(identity)).toEqual(['subject', 'attributes', 'session']);
});
