import type { Entry } from 'ldapts';
import { defined } from '../../../platform/defined.ts';
import type { UpstreamIdentity } from '../connector.ts';
import type { LdapSettings } from '../providers/schema.ts';
import { guidToText } from './text.ts';

/** The attributes that {@link toIdentity} looks at. */
export function wantedAttributes(settings: LdapSettings): readonly string[] {
  const { username, email, name } = attributeNames(settings);
  return [...new Set([...subjectAttributes(settings), username, email, name, ...ruleAttributes(settings)])];
}

/** The account's name in the directory, which may be written in another way than it was typed. */
export function usernameOf(entry: Entry, settings: LdapSettings): string | undefined {
  return textsOf(entry, attributeNames(settings).username)[0];
}

/**
 * @param groups  names from a group search, if there is one
 * @returns undefined when the entry has no attribute that could be its subject
 */
export function toIdentity(
  entry: Entry,
  settings: LdapSettings,
  groups: readonly string[] | undefined,
): UpstreamIdentity | undefined {
  const subject = subjectOf(entry, settings);
  if (subject === undefined) return undefined;
  const names = attributeNames(settings);
  const attributes = ruleAttributes(settings).map(
    (attribute) => [attribute, textsOf(entry, attribute)] as const,
  );
  return defined({
    subject,
    username: usernameOf(entry, settings),
    email: textsOf(entry, names.email)[0],
    name: textsOf(entry, names.name)[0],
    attributes: Object.fromEntries(groups === undefined ? attributes : [...attributes, ['groups', groups]]),
  });
}

/** Values of one attribute, whatever case the directory writes its name in; bytes that are no text are left out. */
export function textsOf(entry: Entry, attribute: string): readonly string[] {
  return valuesOf(entry, attribute).filter((value) => typeof value === 'string');
}

/** One value and no more: of several, none is known to stay the first. */
function subjectOf(entry: Entry, settings: LdapSettings): string | undefined {
  const candidates = subjectAttributes(settings).map((attribute) => subjectFrom(entry, attribute));
  return candidates.find((value) => value !== undefined && value !== '');
}

function subjectFrom(entry: Entry, attribute: string): string | undefined {
  const [value, ...others] = valuesOf(entry, attribute);
  if (value === undefined || others.length > 0) return undefined;
  if (attribute.toLowerCase() === 'objectguid') return guidToText(Buffer.from(value as Buffer));
  return typeof value === 'string' ? value : undefined;
}

function valuesOf(entry: Entry, attribute: string): readonly (string | Buffer)[] {
  const key = Object.keys(entry).find((name) => name.toLowerCase() === attribute.toLowerCase());
  if (key === undefined || key === 'dn') return [];
  return [entry[key] ?? []].flat();
}

function subjectAttributes({ subjectAttribute }: LdapSettings): readonly string[] {
  return subjectAttribute === undefined ? ['entryUUID', 'objectGUID'] : [subjectAttribute];
}

function ruleAttributes({ attributes = [] }: LdapSettings): readonly string[] {
  return [...new Set(['memberOf', ...attributes])];
}

function attributeNames(settings: LdapSettings) {
  return {
    username: settings.usernameAttribute ?? 'uid',
    email: settings.emailAttribute ?? 'mail',
    name: settings.nameAttribute ?? 'displayName',
  };
}
