/** Addresses of the management pages, on the data of `npm run demo`. */
import { siteMap } from '../../console/pages/site-map.ts';
import type { Demo } from './demo.ts';

/** One of each kind, and what asks first. */
const details = [
  '/account',
  '/cluster/maps/orders',
  '/cluster/maps/orders/a1',
  '/cluster/maps/logos/red?as=image',
  '/cluster/queues/mails',
  '/cluster/queues/mails?do=drain',
  '/cluster/wan/atlantic/london',
  '/cluster/wan?do=new',
  '/cluster/operations?do=shut-down',
  '/access/users/grace',
  '/access/users/grace?do=remove',
  '/access/users?do=new',
  '/access/roles/OrdersReader',
  '/access/roles?do=new',
  '/access/clients/billing',
  '/access/clients/billing?do=rotate',
  '/access/clients?do=new',
  '/access/applications/wiki',
  '/access/applications?do=new',
  '/access/effective?client=billing&method=POST&path=/svc/rest/maps/orders/a1',
  '/observe/search?q=orders',
];
/** Every page of the column, and one of each kind of thing; of the members the slow one and the one that is away. */
export function demoPaths({ members }: Pick<Demo, 'members'>): readonly string[] {
  const [, slow, away] = members;
  return [
    ...new Set(siteMap.flatMap(({ href, pages }) => [href, ...pages.map((page) => page.href)])),
    ...[slow, away].map((member) => `/cluster/members/${member}`),
    ...details,
  ];
}
