/** Rules by which somebody whom a provider vouches for gets roles here; nothing else gives any (S45). */
import { isCustomRoleName, isRole, roles } from '../accounts/roles.ts';
import type { UpstreamIdentity } from './connector.ts';
import { ProviderInputError } from './errors.ts';

/** Whoever has this value among those of this attribute gets this role. Both compare exactly. */
export interface RoleRule {
  readonly attribute: string;
  readonly value: string;
  /** Built in, or custom. */
  readonly role: string;
}

export interface RoleRules {
  readonly rules: readonly RoleRule[];
  /** For whom no rule matches; without it, they are refused. */
  readonly defaultRole?: string;
}

/** A rule that cannot be understood; the message says which and what to write instead. */
export class RoleRuleError extends ProviderInputError {}

/**
 * Reads one rule, as an administrator writes it: `attribute=value -> Role`. The value reaches from the
 * first `=` to the last `->`, so that a group's distinguished name can stand there.
 *
 * @throws {RoleRuleError}
 */
export function parseRoleRule(text: string): RoleRule {
  const rule = JSON.stringify(text);
  const arrow = text.lastIndexOf('->');
  if (arrow < 0) throw wrong(`The rule ${rule} has no arrow; write attribute=value -> Role.`);
  const [condition, role] = [text.slice(0, arrow).trim(), text.slice(arrow + 2).trim()];
  const equals = condition.indexOf('=');
  if (equals < 0) throw wrong(`The rule ${rule} has no = before the arrow; write attribute=value -> Role.`);
  const attribute = condition.slice(0, equals).trim();
  const value = condition.slice(equals + 1).trim();
  if (attribute === '') throw wrong(`The rule ${rule} names no attribute before the =.`);
  if (value === '') throw wrong(`The rule ${rule} has no value after the =; an empty one matches nobody.`);
  if (!isRoleName(role)) {
    throw wrong(
      `The rule ${rule} gives a role that is none; there are ${roles.join(', ')}, and custom ones.`,
    );
  }
  return { attribute, value, role };
}

/** @throws {RoleRuleError} for what is no role, and for `Admin`: everybody whom the provider knows would be one */
export function parseDefaultRole(text: string): string {
  if (text === 'Admin') {
    throw wrongDefault('Admin cannot be the default role: write a rule that says who is administrator.');
  }
  if (isRoleName(text)) return text;
  throw wrongDefault(
    `The default role ${JSON.stringify(text)} is none; there are ${roles.join(', ')}, and custom ones.`,
  );
}

/** Whether there is a custom role of this name is known to the registry, which is asked when the rules are kept. */
export function isRoleName(text: string): boolean {
  return isRole(text) || isCustomRoleName(text);
}

export interface MatchedRule {
  readonly rule: RoleRule;
  readonly isMatched: boolean;
}

/** Each rule, and whether it holds for somebody. */
export function matchesOf(
  { attributes }: Pick<UpstreamIdentity, 'attributes'>,
  { rules }: RoleRules,
): readonly MatchedRule[] {
  return rules.map((rule) => ({
    rule,
    isMatched: valuesOf(attributes, rule.attribute).includes(rule.value),
  }));
}

/** @returns every role that a rule gives, else the default one, else none; strongest first, custom ones at the end */
export function rolesOf(
  identity: Pick<UpstreamIdentity, 'attributes'>,
  roleRules: RoleRules,
): readonly string[] {
  const { defaultRole } = roleRules;
  const given = new Set(
    matchesOf(identity, roleRules).flatMap(({ rule, isMatched }) => (isMatched ? [rule.role] : [])),
  );
  if (given.size === 0 && defaultRole) return [defaultRole];
  const custom = [...given].filter((role) => !isRole(role)).sort();
  return [...roles.filter((role) => given.has(role)), ...custom];
}

/** A rule may name an attribute that every object inherits. */
function valuesOf(attributes: UpstreamIdentity['attributes'], name: string): readonly string[] {
  return Object.hasOwn(attributes, name) ? attributes[name]! : [];
}

function wrong(why: string): RoleRuleError {
  return new RoleRuleError(why, { field: 'roleRules' });
}

function wrongDefault(why: string): RoleRuleError {
  return new RoleRuleError(why, { field: 'defaultRole' });
}
