/** Pages that show one list: of which operation, and what of their address it is asked with. */

import type { SortKind } from '../../views/management/lists/sorting.tsx';

export interface ListedPage {
  /** Of the page. Behind it and a dot stands the format: things of the list are one step further down. */
  readonly href: string;
  /** Of the list. */
  readonly operation: string;
  /** Parameters of the address that the operation knows. */
  readonly names: readonly string[];
  /** What it can be sorted by, in the words of the operation, both ways. */
  readonly sorts?: Readonly<Record<string, SortKind>>;
  /** In which of these orders it comes unasked; absent: in none of them. */
  readonly usual?: string;
  /** That is the order of the page: the operation has another one, and has to be asked for it. */
  readonly isUsualAsked?: boolean;
  /** Of the names, those with which the list has an order of its own, and no other. */
  readonly ordering?: readonly string[];
  /** What the page asks for besides. */
  readonly fixed?: Readonly<Record<string, string>>;
}

export const listed = {
  members: { href: '/cluster/members', operation: 'listMembers', names: [] },
  maps: {
    href: '/cluster/maps',
    operation: 'listMaps',
    names: ['q'],
    sorts: { id: 'text', lastCallOn: 'time' },
    usual: 'id',
  },
  queues: {
    href: '/cluster/queues',
    operation: 'listQueues',
    names: ['q'],
    sorts: { id: 'text', lastCallOn: 'time' },
    usual: 'id',
  },
  publishers: { href: '/cluster/wan', operation: 'listWanPublishers', names: [] },
  users: {
    href: '/access/users',
    operation: 'listUsers',
    names: ['q', 'status', 'role', 'provider'],
    sorts: { id: 'text' },
    usual: 'id',
    ordering: ['q', 'status', 'role', 'provider'],
  },
  roles: {
    href: '/access/roles',
    operation: 'listRoles',
    names: ['q', 'builtIn'],
    sorts: { id: 'text' },
  },
  clients: {
    href: '/access/clients',
    operation: 'listClients',
    names: ['q', 'status'],
    sorts: { id: 'text' },
    ordering: ['q'],
    fixed: { kind: 'machine' },
  },
  applications: {
    href: '/access/applications',
    operation: 'listApplications',
    names: ['q', 'status'],
    sorts: { id: 'text' },
    ordering: ['q'],
  },
  providers: {
    href: '/access/identity-providers',
    operation: 'listIdentityProviders',
    names: ['q', 'kind', 'enabled'],
    sorts: { name: 'text', position: 'number', linkedUsers: 'number', lastSignInAt: 'time' },
  },
  sessions: { href: '/access/sessions', operation: 'listSessions', names: ['user', 'client', 'provider'] },
  approvals: {
    href: '/access/approvals',
    operation: 'listApprovals',
    names: ['state'],
    sorts: { createdAt: 'time' },
    usual: 'createdAt',
  },
  jobs: {
    href: '/observe/jobs',
    operation: 'listJobs',
    names: ['state', 'kind'],
    sorts: { startedAt: 'time', endedAt: 'time' },
  },
  settings: { href: '/settings', operation: 'listSettings', names: ['q', 'state'] },
} as const satisfies Readonly<Record<string, ListedPage>>;

export const auditHref = '/observe/audit';
export const auditFilters: readonly string[] = [
  'actor',
  'object',
  'client',
  'member',
  'event',
  'outcome',
  'changes',
  'joinedBy',
  'since',
  'until',
];

/** Its files are as the audit stores it, in no other order. */
export const auditPage: ListedPage = {
  href: auditHref,
  operation: 'listAuditEntries',
  names: auditFilters,
  sorts: { createdAt: 'time' },
  usual: '-createdAt',
};

/** What a list can be had as. Of the audit, lines that can be checked, as it is exported. */
export function formatsOf(href: string): readonly string[] {
  if (href === auditHref) return ['jsonl', 'csv'];
  return Object.values<ListedPage>(listed).some((one) => one.href === href) ? ['json', 'csv'] : [];
}
