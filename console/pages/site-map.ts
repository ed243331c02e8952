/** Which management pages there are, in the order of the column beside them. */
import type { Access } from '../operations/operation.ts';

export interface SitePage {
  readonly title: string;
  readonly href: string;
  /** Typed after `g`, it leads there. */
  readonly letter?: string;
  /** Of its operation: whoever may run that finds the page. */
  readonly needs: { readonly object: string; readonly access: Access };
  /** One sentence, on the page of the group. */
  readonly about: string;
}

export interface SiteGroup {
  readonly title: string;
  readonly href: string;
  readonly pages: readonly SitePage[];
}

export const siteMap: readonly SiteGroup[] = [
  {
    title: 'Overview',
    href: '/',
    pages: [
      {
        title: 'Overview',
        href: '/',
        letter: 'o',
        needs: { object: 'traffic', access: 'metrics' },
        about: 'What is wrong, and what has happened lately.',
      },
    ],
  },
  {
    title: 'Cluster',
    href: '/cluster',
    pages: [
      {
        title: 'Members',
        href: '/cluster/members',
        letter: 'm',
        needs: { object: 'members', access: 'read' },
        about: 'How the members are, and which of them get calls.',
      },
      {
        title: 'Maps',
        href: '/cluster/maps',
        letter: 'a',
        needs: { object: 'maps', access: 'read' },
        about: 'What stands in them, by key.',
      },
      {
        title: 'Queues',
        href: '/cluster/queues',
        letter: 'q',
        needs: { object: 'queues', access: 'read' },
        about: 'How many items wait in them, and what is offered.',
      },
      {
        title: 'WAN replication',
        href: '/cluster/wan',
        needs: { object: 'wan', access: 'read' },
        about: 'What other clusters are sent, and what was done to that.',
      },
      {
        title: 'CP subsystem',
        href: '/cluster/cp',
        needs: { object: 'cp', access: 'read' },
        about: 'CP members, groups and sessions.',
      },
      {
        title: 'Operations',
        href: '/cluster/operations',
        needs: { object: 'operations', access: 'read' },
        about: 'How the cluster is, and what is done to all of it.',
      },
    ],
  },
  {
    title: 'Access',
    href: '/access',
    pages: [
      {
        title: 'Users',
        href: '/access/users',
        letter: 'u',
        needs: { object: 'users', access: 'inspect' },
        about: 'People who may sign in, and what they may do.',
      },
      {
        title: 'Roles',
        href: '/access/roles',
        needs: { object: 'roles', access: 'read' },
        about: 'What people may do, and who may do it.',
      },
      {
        title: 'Machine clients',
        href: '/access/clients',
        letter: 'c',
        needs: { object: 'clients', access: 'inspect' },
        about: 'Programs that ask for tokens, what they may do, and their secrets.',
      },
      {
        title: 'Applications',
        href: '/access/applications',
        needs: { object: 'applications', access: 'inspect' },
        about: 'Dashboards and others that people sign in to through this console.',
      },
      {
        title: 'Identity providers',
        href: '/access/identity-providers',
        letter: 'i',
        needs: { object: 'identity-providers', access: 'read' },
        about: 'Where people sign in with the account that they have elsewhere.',
      },
      {
        title: 'Sessions',
        href: '/access/sessions',
        letter: 's',
        needs: { object: 'sessions', access: 'inspect' },
        about: 'Where people are signed in.',
      },
      {
        title: 'Effective access',
        href: '/access/effective',
        letter: 'e',
        needs: { object: 'access', access: 'read' },
        about: 'Who may call what at the members, and why.',
      },
      {
        title: 'Approvals',
        href: '/access/approvals',
        needs: { object: 'approvals', access: 'inspect' },
        about: 'Changes that wait for a second administrator.',
      },
    ],
  },
  {
    title: 'Observe',
    href: '/observe',
    pages: [
      {
        title: 'Traffic',
        href: '/observe/traffic',
        letter: 't',
        needs: { object: 'traffic', access: 'metrics' },
        about: 'Who calls what at the members, what is refused, and what takes longest.',
      },
      {
        title: 'Audit log',
        href: '/observe/audit',
        letter: 'l',
        needs: { object: 'audit', access: 'inspect' },
        about: 'What has happened, who did it, and what led to it.',
      },
      {
        title: 'Health check',
        href: '/observe/health',
        letter: 'h',
        needs: { object: 'health', access: 'read' },
        about: 'What is wrong with this installation, and what puts it right.',
      },
      {
        title: 'Jobs',
        href: '/observe/jobs',
        needs: { object: 'jobs', access: 'inspect' },
        about: 'What takes longer than a page may: imports and backups.',
      },
    ],
  },
  {
    title: 'Settings',
    href: '/settings',
    pages: [
      {
        title: 'Settings',
        href: '/settings',
        needs: { object: 'settings', access: 'inspect' },
        about: 'What this console runs with, and where each value comes from.',
      },
      {
        title: 'Get started',
        href: '/settings/start',
        needs: { object: 'settings', access: 'inspect' },
        about: 'The first ten minutes: what is done, and what is still open.',
      },
      {
        title: 'Branding',
        href: '/settings/branding',
        needs: { object: 'installation', access: 'inspect' },
        about: 'Name, logo and colour of this installation, on every page and before a sign-in.',
      },
      {
        title: 'Signing keys',
        href: '/settings/keys',
        needs: { object: 'keys', access: 'read' },
        about: 'Which keys sign, which are next, and when each leaves the key set.',
      },
      {
        title: 'API',
        href: '/settings/api',
        needs: { object: 'settings', access: 'inspect' },
        about: 'What programs may call here, and at the members.',
      },
      {
        title: 'About',
        href: '/settings/about',
        needs: { object: 'installation', access: 'inspect' },
        about: 'What runs here: release, store, backups, and under which terms.',
      },
    ],
  },
];
