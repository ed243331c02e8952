/** Which management pages there are, in the order of the column beside them. */

export interface SitePage {
  readonly title: string;
  readonly href: string;
  /** Whoever may run it finds the page. */
  readonly operation: string;
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
    title: 'Access',
    href: '/access',
    pages: [
      {
        title: 'Users',
        href: '/access/users',
        operation: 'listUsers',
        about: 'People who may sign in, and what they may do.',
      },
      {
        title: 'Roles',
        href: '/access/roles',
        operation: 'listRoles',
        about: 'What people may do, and who may do it.',
      },
      {
        title: 'Machine clients',
        href: '/access/clients',
        operation: 'listClients',
        about: 'Programs that ask for tokens, what they may do, and their secrets.',
      },
      {
        title: 'Sessions',
        href: '/access/sessions',
        operation: 'listSessions',
        about: 'Where people are signed in.',
      },
    ],
  },
];

export const pagesInOrder: readonly SitePage[] = siteMap.flatMap(({ pages }) => pages);
