/** Pages that show one list: of which operation, and what of their address it is asked with. */
export interface ListedPage {
  /** Of the page. Behind it and a dot stands the format: things of the list are one step further down. */
  readonly href: string;
  /** Of the list. */
  readonly operation: string;
  /** Parameters of the address that the operation knows. */
  readonly names: readonly string[];
  /** In which orders it can be had where nothing is filtered, the usual one first. */
  readonly sorts?: readonly [usual: string, reversed: string];
  /** What the page asks for besides. */
  readonly fixed?: Readonly<Record<string, string>>;
}

export const listed = {
  members: { href: '/cluster/members', operation: 'listMembers', names: [] },
  maps: { href: '/cluster/maps', operation: 'listMaps', names: ['q'] },
  queues: { href: '/cluster/queues', operation: 'listQueues', names: ['q'] },
  publishers: { href: '/cluster/wan', operation: 'listWanPublishers', names: [] },
  users: {
    href: '/access/users',
    operation: 'listUsers',
    names: ['q', 'status', 'role', 'provider'],
    sorts: ['id', '-id'],
  },
  roles: { href: '/access/roles', operation: 'listRoles', names: ['q', 'builtIn'] },
  clients: {
    href: '/access/clients',
    operation: 'listClients',
    names: ['q', 'status'],
    fixed: { kind: 'machine' },
  },
  applications: { href: '/access/applications', operation: 'listApplications', names: ['q', 'status'] },
  providers: {
    href: '/access/identity-providers',
    operation: 'listIdentityProviders',
    names: ['q', 'kind', 'enabled'],
  },
  sessions: { href: '/access/sessions', operation: 'listSessions', names: ['user', 'client', 'provider'] },
  approvals: { href: '/access/approvals', operation: 'listApprovals', names: ['state'] },
  jobs: { href: '/observe/jobs', operation: 'listJobs', names: ['state', 'kind'] },
  settings: { href: '/settings', operation: 'listSettings', names: ['q', 'state'] },
} as const satisfies Readonly<Record<string, ListedPage>>;

export const auditHref = '/observe/audit';
export const auditFilters = [
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

/** What a list can be had as. Of the audit, lines that can be checked, as it is exported. */
export function formatsOf(href: string): readonly string[] {
  if (href === auditHref) return ['jsonl', 'csv'];
  return Object.values<ListedPage>(listed).some((one) => one.href === href) ? ['json', 'csv'] : [];
}
