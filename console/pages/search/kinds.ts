/** What can be found by its name. */
import { applicationHref, type ShownApplication } from '../../../views/management/access/applications.tsx';
import { approvalHref, type ShownApproval } from '../../../views/management/access/approvals.tsx';
import { clientHref, type ShownClient } from '../../../views/management/access/clients.tsx';
import { roleHref, type ShownRole } from '../../../views/management/access/roles.tsx';
import { type ShownSession, sessionHref } from '../../../views/management/access/sessions.tsx';
import { type ShownUser, userHref } from '../../../views/management/access/users.tsx';
import type { ShownMember } from '../../../views/management/cluster/member-state.tsx';
import { memberHref } from '../../../views/management/cluster/members.tsx';
import { publisherHref, type ShownPublisher } from '../../../views/management/cluster/publisher-cells.tsx';
import { type ShownStructure, structureHref } from '../../../views/management/cluster/structures.tsx';
import { jobHref } from '../../../views/management/observe/jobs/job-address.ts';
import { keysHref, type ShownKey } from '../../../views/management/settings/keys.tsx';
import { meaningOf } from '../../../views/management/settings/setting-meaning.ts';
import { type ShownSetting, settingsHref } from '../../../views/management/settings/settings.tsx';
import { saidIn, type Translate, type WordKey } from '../../../views/texts/text.ts';
import type { Kind, ShownKindItem } from './found.ts';
import { mostOfKind } from './found.ts';

/** One more than is shown, so that it is known whether there are more. */
const limit = String(mostOfKind + 1);
/** Of what operations only list: as many as one call gives. */
const all = { limit: '500' };

const byBeginning = (text: string) => ({ q: text, limit });
const everyOne = () => all;
const filtered = (href: string) => (text: string) => `${href}?q=${encodeURIComponent(text)}`;

export const users = kind<ShownUser>({
  id: 'users',
  title: 'common.users',
  operation: 'listUsers',
  queryOf: byBeginning,
  allHref: filtered('/access/users'),
  show: ({ id, displayName, email, roles }) => ({
    ...named(id, displayName, [email, roles.join(', ')]),
    href: userHref(id),
  }),
});

export const roles = kind<ShownRole>({
  id: 'roles',
  title: 'common.roles',
  operation: 'listRoles',
  queryOf: everyOne,
  isMatchedHere: true,
  show: ({ id, description }) => ({ ...named(id, null, [description]), href: roleHref(id) }),
});

export const clients = kind<ShownClient>({
  id: 'machine-clients',
  title: 'common.machineClients',
  operation: 'listClients',
  queryOf: (text) => ({ ...byBeginning(text), kind: 'machine' }),
  allHref: filtered('/access/clients'),
  show: ({ id, displayName, status }, t) => ({
    ...named(id, displayName, [status === 'disabled' ? t('search.disabled') : null]),
    href: clientHref(id),
  }),
});

export const applications = kind<ShownApplication>({
  id: 'applications',
  title: 'common.applications',
  operation: 'listApplications',
  queryOf: byBeginning,
  allHref: filtered('/access/applications'),
  show: ({ id, displayName }) => ({ ...named(id, displayName, []), href: applicationHref(id) }),
});

export const sessions = kind<ShownSession>({
  id: 'sessions',
  title: 'common.sessions',
  operation: 'listSessions',
  queryOf: (text) => ({ user: text, limit }),
  allHref: (text) => `/access/sessions?user=${encodeURIComponent(text)}`,
  show: ({ id, user, address, startedAt }, t) => ({
    id,
    name: id,
    about: [user, address, t('search.since', { day: startedAt.slice(0, 10) })].filter(Boolean).join(', '),
    href: sessionHref(id),
  }),
});

export const members = kind<ShownMember>({
  id: 'members',
  title: 'common.members',
  operation: 'listMembers',
  queryOf: everyOne,
  isMatchedHere: true,
  show: ({ id, uuid }) => ({ ...named(id, null, [uuid]), href: memberHref(id) }),
});

export const maps = structures('common.maps', 'listMaps', 'map');
export const queues = structures('common.queues', 'listQueues', 'queue');

export const publishers = kind<ShownPublisher>({
  id: 'wan-publishers',
  title: 'search.publishers',
  operation: 'listWanPublishers',
  queryOf: everyOne,
  isMatchedHere: true,
  show: ({ replication, publisher }) => ({
    ...named(`${replication}/${publisher}`, null, []),
    href: publisherHref({ replication, publisher }),
  }),
});

const providers = kind<{ readonly id: string; readonly kind: string; readonly name: string | null }>({
  id: 'identity-providers',
  title: 'common.identityProviders',
  operation: 'listIdentityProviders',
  page: '/access/identity-providers',
  queryOf: everyOne,
  isMatchedHere: true,
  show: ({ id, kind: protocol, name }) => ({
    ...named(id, name, [protocol]),
    href: `/access/identity-providers/${encodeURIComponent(id)}`,
  }),
});

const approvals = kind<ShownApproval>({
  id: 'approvals',
  title: 'common.approvals',
  operation: 'listApprovals',
  queryOf: () => ({ ...all, state: 'waiting' }),
  isMatchedHere: true,
  show: ({ id, operation, target, requestedBy }, t) => ({
    id,
    name: [operation, target].filter(Boolean).join(' '),
    about: t('search.askedForBy', { who: requestedBy.username ?? requestedBy.id }),
    href: approvalHref(id),
  }),
});

const settings = kind<ShownSetting>({
  id: 'settings',
  title: 'common.settings',
  operation: 'listSettings',
  queryOf: everyOne,
  isMatchedHere: true,
  show: (setting, t) => {
    const { id } = setting;
    const inEnglish = setting.meaning.replaceAll('`', '');
    // Whoever reads documents knows its words in English.
    const own = saidIn(t.language, meaningOf(setting));
    const about = t.language === 'en' || own === undefined ? inEnglish : own.replace(/\.$/, '');
    return { ...named(id, null, [about]), also: inEnglish, href: `${settingsHref}#${id}` };
  },
});

const keys = kind<ShownKey>({
  id: 'signing-keys',
  title: 'common.signingKeys',
  operation: 'listKeys',
  queryOf: everyOne,
  isMatchedHere: true,
  show: ({ id, alg, state }) => ({ ...named(id, null, [`${alg}, ${state}`]), href: `${keysHref}#${id}` }),
});

const jobs = kind<{ readonly id: string; readonly kind: string; readonly state: string }>({
  id: 'jobs',
  title: 'common.jobs',
  operation: 'listJobs',
  queryOf: everyOne,
  isMatchedHere: true,
  show: ({ id, kind: name, state }) => ({
    id,
    name: id,
    about: `${name}, ${state}`,
    href: jobHref(id),
  }),
});

/** In the order in which they are shown. */
export const kinds: readonly Kind[] = [
  users,
  clients,
  applications,
  roles,
  providers,
  members,
  maps,
  queues,
  publishers,
  sessions,
  approvals,
  jobs,
  keys,
  settings,
];

interface KindOf<Item> extends Omit<Kind, 'show'> {
  readonly show: (item: Item, t: Translate) => ShownKindItem;
}

/** An operation answers items of this form. */
function kind<Item>({ show, ...rest }: KindOf<Item>): Kind {
  return { ...rest, show: (item, t) => show(item as Item, t) };
}

function structures(title: WordKey, operation: string, structure: 'map' | 'queue'): Kind {
  return kind<ShownStructure>({
    id: `${structure}s`,
    title,
    operation,
    queryOf: byBeginning,
    allHref: filtered(`/cluster/${structure}s`),
    show: ({ id }) => ({ ...named(id, null, []), href: structureHref(structure, id) }),
  });
}

/** The name that people see, and behind it the id where that is another. */
function named(id: string, displayName: string | null, more: readonly (string | null | undefined)[]) {
  const about = [displayName === null ? null : id, ...more].filter(Boolean).join(', ');
  return { id, name: displayName ?? id, about: about === '' ? undefined : about };
}
