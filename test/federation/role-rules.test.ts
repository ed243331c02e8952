import { describe, expect, test } from 'vitest';
import {
  parseDefaultRole,
  parseRoleRule,
  RoleRuleError,
  rolesOf,
} from '../../console/federation/role-rules.ts';

describe('a rule', () => {
  test.each([
    ['groups=ops -> Viewer', { attribute: 'groups', value: 'ops', role: 'Viewer' }],
    ['  groups = ops->Admin ', { attribute: 'groups', value: 'ops', role: 'Admin' }],
    ['memberOf=cn=ops,dc=x -> Admin', { attribute: 'memberOf', value: 'cn=ops,dc=x', role: 'Admin' }],
    ['g=a -> b -> MetricsViewer', { attribute: 'g', value: 'a -> b', role: 'MetricsViewer' }],
    ['urn:oid:1.3.6=team one -> Viewer', { attribute: 'urn:oid:1.3.6', value: 'team one', role: 'Viewer' }],
  ])('%s', (text, rule) => {
    expect(parseRoleRule(text)).toEqual(rule);
  });

  test.each([
    ['', 'no arrow'],
    ['groups=ops Viewer', 'no arrow'],
    ['groups -> Viewer', 'no ='],
    ['=ops -> Viewer', 'no attribute'],
    ['groups= -> Viewer', 'no value'],
    ['groups=ops -> viewer', 'Admin, Viewer, MetricsViewer'],
    ['groups=ops ->', 'Admin, Viewer, MetricsViewer'],
    ['groups=ops -> constructor', 'Admin, Viewer, MetricsViewer'],
  ])('that is wrong is refused with what is wrong: %j', (text, why) => {
    expect(() => parseRoleRule(text)).toThrow(RoleRuleError);
    expect(() => parseRoleRule(text)).toThrow(why.replace('no attribute', 'names no attribute'));
  });
});

test('the default role is a role, and not Admin', () => {
  expect(parseDefaultRole('Viewer')).toBe('Viewer');
  expect(() => parseDefaultRole('Admin')).toThrow('cannot be the default');
  expect(() => parseDefaultRole('viewer')).toThrow('Admin, Viewer, MetricsViewer');
});

describe('roles come from matching rules alone (S45)', () => {
  const rules = ['groups=ops -> Viewer', 'groups=admins -> Admin', 'constructor=x -> Admin'].map(
    parseRoleRule,
  );
  test.each([
    ['a value of the attribute', { groups: ['staff', 'ops'] }, ['Viewer']],
    ['several rules, strongest first', { groups: ['ops', 'admins'] }, ['Admin', 'Viewer']],
    ['the value in another attribute', { mail: ['admins'] }, []],
    ['the value in other letters', { groups: ['Admins'] }, []],
    ['a part of the value', { groups: ['admins2', 'not admins', 'admins,ops'] }, []],
    ['nothing', {}, []],
  ])('%s', (_name, attributes, expected) => {
    expect(rolesOf({ attributes }, { rules })).toEqual(expected);
  });

  test('custom roles come behind the built-in ones, and one may be the default', () => {
    const given = ['groups=ops -> Orders', 'groups=ops -> Bills', 'groups=ops -> Viewer'].map(parseRoleRule);
    const attributes = { groups: ['ops'] };
    expect(rolesOf({ attributes }, { rules: given })).toEqual(['Viewer', 'Bills', 'Orders']);
    expect(rolesOf({ attributes: {} }, { rules: given, defaultRole: 'Orders' })).toEqual(['Orders']);
  });

  test('the default role is for whom no rule matches, and adds to nobody', () => {
    const defaultRole = 'MetricsViewer';
    expect(rolesOf({ attributes: {} }, { rules, defaultRole })).toEqual(['MetricsViewer']);
    expect(rolesOf({ attributes: { groups: ['ops'] } }, { rules, defaultRole })).toEqual(['Viewer']);
  });
});
