/** Which management pages there are, in the order of the column beside them. */
import type { WordKey } from '../../views/texts/text.ts';
import type { Access } from '../operations/operation.ts';

export interface SitePage {
  readonly title: WordKey;
  readonly href: string;
  /** Where else things of its list have their pages. */
  readonly otherHref?: string;
  /** Typed after `g`, it leads there. */
  readonly letter?: string;
  /** Of its operation: whoever may run that finds the page. */
  readonly needs: { readonly object: string; readonly access: Access };
  /** One sentence, on the page of the group. */
  readonly about: WordKey;
}

export interface SiteGroup {
  readonly title: WordKey;
  readonly href: string;
  readonly pages: readonly SitePage[];
}

export const siteMap: readonly SiteGroup[] = [
  {
    title: 'common.overview',
    href: '/',
    pages: [
      {
        title: 'common.overview',
        href: '/',
        letter: 'o',
        needs: { object: 'traffic', access: 'metrics' },
        about: 'pages.whatWrongWhatHappened',
      },
    ],
  },
  {
    title: 'common.cluster',
    href: '/cluster',
    pages: [
      {
        title: 'common.members',
        href: '/cluster/members',
        letter: 'm',
        needs: { object: 'members', access: 'metrics' },
        about: 'pages.howMembersWhichThem',
      },
      {
        title: 'common.maps',
        href: '/cluster/maps',
        letter: 'a',
        needs: { object: 'maps', access: 'read' },
        about: 'pages.whatStandsThemKey',
      },
      {
        title: 'common.queues',
        href: '/cluster/queues',
        letter: 'q',
        needs: { object: 'queues', access: 'read' },
        about: 'pages.howManyItemsWait',
      },
      {
        title: 'common.wanReplication',
        href: '/cluster/wan',
        needs: { object: 'wan', access: 'read' },
        about: 'pages.whatOtherClustersSent',
      },
      {
        title: 'common.cpSubsystem',
        href: '/cluster/cp',
        needs: { object: 'cp', access: 'read' },
        about: 'pages.cpMembersGroupsSessions',
      },
      {
        title: 'common.operations',
        href: '/cluster/operations',
        needs: { object: 'operations', access: 'read' },
        about: 'pages.howClusterWhatDone',
      },
    ],
  },
  {
    title: 'common.access',
    href: '/access',
    pages: [
      {
        title: 'common.users',
        href: '/access/users',
        letter: 'u',
        needs: { object: 'users', access: 'inspect' },
        about: 'common.peopleWhoMaySign',
      },
      {
        title: 'common.roles',
        href: '/access/roles',
        needs: { object: 'roles', access: 'read' },
        about: 'pages.whatPeopleMayDo',
      },
      {
        title: 'common.machineClients',
        href: '/access/clients',
        letter: 'c',
        needs: { object: 'clients', access: 'inspect' },
        about: 'pages.programsAskTokensWhat',
      },
      {
        title: 'common.applications',
        href: '/access/applications',
        needs: { object: 'applications', access: 'inspect' },
        about: 'common.dashboardsOthersPeopleSign',
      },
      {
        title: 'common.identityProviders',
        href: '/access/identity-providers',
        letter: 'i',
        needs: { object: 'identity-providers', access: 'read' },
        about: 'pages.wherePeopleSignAccount',
      },
      {
        title: 'common.sessions',
        href: '/access/sessions',
        letter: 's',
        needs: { object: 'sessions', access: 'inspect' },
        about: 'pages.wherePeopleSigned',
      },
      {
        title: 'common.effectiveAccess',
        href: '/access/effective',
        letter: 'e',
        needs: { object: 'access', access: 'read' },
        about: 'pages.whoMayCallWhat',
      },
      {
        title: 'common.approvals',
        href: '/access/approvals',
        needs: { object: 'approvals', access: 'inspect' },
        about: 'pages.changesWaitSecondAdministrator',
      },
    ],
  },
  {
    title: 'pages.observe',
    href: '/observe',
    pages: [
      {
        title: 'common.traffic',
        href: '/observe/traffic',
        letter: 't',
        needs: { object: 'traffic', access: 'metrics' },
        about: 'pages.whoCallsWhatMembers',
      },
      {
        title: 'common.auditLog',
        href: '/observe/audit',
        otherHref: '/observe/decisions',
        letter: 'l',
        needs: { object: 'audit', access: 'observe' },
        about: 'pages.whatHappenedWhoDid',
      },
      {
        title: 'common.healthCheck',
        href: '/observe/health',
        letter: 'h',
        needs: { object: 'health', access: 'read' },
        about: 'pages.whatWrongInstallationWhat',
      },
      {
        title: 'common.jobs',
        href: '/observe/jobs',
        needs: { object: 'jobs', access: 'observe' },
        about: 'pages.whatTakesLongerThan',
      },
    ],
  },
  {
    title: 'common.settings',
    href: '/settings',
    pages: [
      {
        title: 'common.settings',
        href: '/settings',
        needs: { object: 'settings', access: 'inspect' },
        about: 'pages.whatConsoleRunsWhere',
      },
      {
        title: 'common.getStarted',
        href: '/settings/start',
        needs: { object: 'settings', access: 'inspect' },
        about: 'pages.firstTenMinutesWhat',
      },
      {
        title: 'common.branding',
        href: '/settings/branding',
        needs: { object: 'installation', access: 'inspect' },
        about: 'pages.nameLogoColourInstallation',
      },
      {
        title: 'common.signingKeys',
        href: '/settings/keys',
        needs: { object: 'keys', access: 'read' },
        about: 'pages.whichKeysSignWhich',
      },
      {
        title: 'pages.api',
        href: '/settings/api',
        needs: { object: 'settings', access: 'inspect' },
        about: 'pages.whatProgramsMayCall',
      },
      {
        title: 'common.about',
        href: '/settings/about',
        needs: { object: 'installation', access: 'inspect' },
        about: 'pages.whatRunsHereRelease',
      },
    ],
  },
];
