/** A journey for each page: what matters on it is read, its main link followed, its main act done. */
import type { Visitor } from './visitor.ts';

export interface Journey {
  readonly page: string;
  /** @param id  of its own in each way of travelling, for what a journey makes */
  readonly go: (visitor: Visitor, id: string) => Promise<void>;
}

type Step = (visitor: Visitor, id: string) => Promise<void>;

/** Steps one after the other; `{id}` in any of their words is the id. */
const journey =
  (...steps: readonly Step[]): Journey['go'] =>
  async (visitor, id) => {
    for (const step of steps) await step(visitor, id);
  };
const open =
  (path: string): Step =>
  (visitor, id) =>
    visitor.open(path.replaceAll('{id}', id));
const reads =
  (...texts: readonly string[]): Step =>
  async (visitor, id) => {
    for (const text of texts) await visitor.reads(text.replaceAll('{id}', id));
  };
const readsInTime =
  (text: string): Step =>
  (visitor) =>
    visitor.readsInTime(text);
const follow =
  (link: string): Step =>
  (visitor, id) =>
    visitor.follow(link.replaceAll('{id}', id));
const press =
  (button: string): Step =>
  (visitor) =>
    visitor.press(button);
const fill =
  (field: string, text: string): Step =>
  (visitor, id) =>
    visitor.fill(field.replaceAll('{id}', id), text.replaceAll('{id}', id));
const choose =
  (choice: string): Step =>
  (visitor) =>
    visitor.choose(choice);

const cluster: readonly Journey[] = [
  {
    page: 'Overview',
    go: journey(
      open('/'),
      reads('Needs attention', 'Member 127.0.0.1:', 'Latest refusals'),
      follow('24 h'),
      reads('Calls', 'p99'),
      follow('Look at it'),
      reads('Gets no calls'),
    ),
  },
  {
    page: 'Cluster',
    go: journey(
      open('/cluster'),
      reads('How many items wait'),
      follow('Operations'),
      reads('Shut down cluster'),
    ),
  },
  {
    page: 'Members',
    go: journey(
      open('/cluster/members'),
      follow('127.0.0.1'),
      reads('Endpoint groups'),
      press('Drain'),
      reads('Drained: it gets no calls any more'),
      press('Undo'),
      reads('It gets calls again.'),
    ),
  },
  {
    page: 'Maps',
    go: journey(
      open('/cluster/maps'),
      fill('Open by name', 'orders'),
      press('Open'),
      reads('members neither count nor list them'),
      fill('Keys', 'a1'),
      press('Get'),
      reads('"customer": "Grace Hopper"'),
      open('/cluster/maps/orders'),
      fill('Keys', 'a[1-40]'),
      press('Get'),
      reads('Keys of orders'),
      readsInTime('1 entry was found. 39 keys have no entry.'),
      reads('application/json'),
    ),
  },
  {
    page: 'Entry',
    go: journey(
      open('/cluster/maps/journeys/{id}'),
      fill('Value', 'of {id}'),
      press('Put'),
      reads('of {id}', 'text/plain'),
      follow('Remove'),
      press('Remove entry'),
      reads('Put back'),
    ),
  },
  {
    page: 'Queues',
    go: journey(
      open('/cluster/queues'),
      reads('Machine clients, calls'),
      follow('jobs'),
      open('/cluster/queues/{id}'),
      fill('Value', 'item of {id}'),
      press('Offer item'),
      reads('Offered'),
      follow('Poll item'),
      reads('is taken away from everybody'),
      press('Poll item'),
      reads('item of {id}', 'Offer again'),
      press('Offer again, at the end'),
      follow('Drain into a file'),
      reads('writes each to a file before it takes the next'),
      fill('Type {id} to go on', '{id}'),
      press('Drain into a file'),
      reads('They are in no queue any more'),
    ),
  },
  {
    page: 'WAN replication',
    go: journey(
      open('/cluster/wan'),
      follow('atlantic/london'),
      press('Pause publisher'),
      reads('Paused: changes are queued and not sent.'),
      press('Resume publisher'),
      reads('It sends again.'),
    ),
  },
  {
    page: 'CP subsystem',
    go: journey(
      open('/cluster/cp'),
      reads('CP groups'),
      follow('default'),
      reads('Sessions of default'),
      follow('Reset CP subsystem'),
      reads('This cannot be undone.'),
      follow('Cancel'),
      reads('CP groups'),
    ),
  },
  {
    page: 'Operations',
    go: journey(
      open('/cluster/operations'),
      reads('Migration queue'),
      press('Start hot backup'),
      reads('The members have accepted the backup.'),
      follow('Shut down cluster'),
      reads('What is not persisted is lost.'),
      follow('Cancel'),
    ),
  },
];

const access: readonly Journey[] = [
  {
    page: 'Access',
    go: journey(open('/access'), reads('People who may sign in'), follow('Roles'), reads('OrdersReader')),
  },
  {
    page: 'Users',
    go: journey(
      open('/access/users'),
      reads('Grace Hopper', 'No role'),
      follow('Invite user'),
      fill('User name', '{id}'),
      choose('Viewer Reads cluster information'),
      press('Invite user'),
      reads('Link to choose a password'),
      open('/access/users/{id}'),
      reads('Invited', 'Has the role Viewer'),
      open('/access/users/grace'),
      press('Disable'),
      reads('Disabled: all sessions have ended'),
      press('Undo'),
      reads('Enabled: the person can sign in again.'),
    ),
  },
  {
    page: 'Roles',
    go: journey(
      open('/access/roles'),
      reads('May read map “orders”. Nothing else.'),
      follow('Add role'),
      fill('Name', 'R-{id}'),
      fill('Maps', 'orders'),
      choose('write'),
      press('Add role'),
      reads('R-{id}', 'May write map “orders”. Nothing else.'),
      follow('Remove'),
      fill('Type R-{id} to go on', 'R-{id}'),
      press('Remove role'),
      follow('Viewer'),
      follow('Copy'),
      reads('Filled in is what Viewer opens', 'Left out: api:access:read'),
      fill('Name', 'V-{id}'),
      press('Add role'),
      reads('V-{id}', 'The role is added.'),
    ),
  },
  {
    page: 'Machine clients',
    go: journey(
      open('/access/clients'),
      reads('May read map “orders” and offer to'),
      follow('Add machine client'),
      fill('Client ID', 'c-{id}'),
      fill('Maps', 'orders'),
      choose('read'),
      press('Add machine client'),
      reads('It is shown here once', 'curl'),
      press('Try it'),
      reads('svc:map:orders:read'),
    ),
  },
  {
    page: 'Applications',
    go: journey(
      open('/access/applications'),
      reads('https://wiki.example.com'),
      follow('Add application'),
      follow('Spring Boot'),
      fill('Client ID', 'a-{id}'),
      fill('Address', 'https://{id}.example.com'),
      press('Add application'),
      reads('client-secret', 'issuer-uri'),
    ),
  },
  {
    page: 'Identity providers',
    go: journey(
      open('/access/identity-providers'),
      follow('Add identity provider'),
      follow('Keycloak'),
      fill('ID', 'p-{id}'),
      fill('Client secret', 'known to both'),
      fill('Issuer', 'https://id.example.invalid/realms/{id}'),
      press('Add identity provider'),
      reads('Dry run'),
      follow('Enable'),
      press('Enable identity provider'),
      reads('Enabled: people can sign in by it.'),
      press('Disable'),
      reads('Disabled: nobody can sign in by it.'),
      press('Undo'),
      reads('Enabled: people can sign in by it.'),
      follow('Remove'),
      fill('Type p-{id} to go on', 'p-{id}'),
      press('Remove identity provider'),
      reads('Identity providers'),
    ),
  },
  {
    page: 'Sessions',
    go: journey(
      open('/access/sessions'),
      fill('User', 'vera'),
      press('Filter'),
      follow('vera'),
      reads('Ending it signs the person out'),
      follow('End session'),
      press('End session'),
      reads('Sessions'),
    ),
  },
  {
    page: 'Effective access',
    go: journey(
      open('/access/effective'),
      reads('importer'),
      fill('ID', 'reporter'),
      press('Ask'),
      reads('may not', 'Add svc:map:orders:read, the smallest'),
      follow('Roles'),
      reads('OrdersReader'),
    ),
  },
  {
    page: 'Approvals',
    go: journey(open('/access/approvals'), reads('Nothing waits.'), press('Filter'), reads('Nothing waits.')),
  },
];

const observe: readonly Journey[] = [
  {
    page: 'Observe',
    go: journey(open('/observe'), follow('Health check'), reads('Needs attention')),
  },
  {
    page: 'Traffic',
    go: journey(
      open('/observe/traffic'),
      reads('Slowest', 'Latest'),
      fill('Client', 'importer'),
      press('Filter'),
      follow('importer'),
      reads('May read all maps and queues'),
    ),
  },
  {
    page: 'Audit log',
    go: journey(
      open('/observe/audit'),
      fill('To what', 'role:OrdersReader'),
      press('Filter'),
      follow('Role added'),
      reads('svc:map:orders:read', 'application-client'),
    ),
  },
  {
    page: 'Decision',
    go: journey(
      open('/'),
      follow('Call to a member, GET map orders. The access token does not open this'),
      reads('reporter', 'svc:map:orders:read'),
    ),
  },
  {
    page: 'Health check',
    go: journey(open('/observe/health'), reads('Something is wrong'), press('Run again'), reads('Fine')),
  },
  {
    page: 'Jobs',
    go: journey(open('/observe/jobs'), reads('1 of 1 copy'), follow('Backup'), reads('Done')),
  },
  {
    page: 'Search',
    go: journey(
      open('/observe/search'),
      fill('Name, id, or what to do', 'rotate billing'),
      press('Search'),
      follow('Rotate'),
      reads('The next page has a new secret, once.'),
      follow('Cancel'),
    ),
  },
];

const settings: readonly Journey[] = [
  { page: 'Settings', go: journey(open('/settings'), reads('CONSOLE_ENCRYPTION_KEY', 'Set, not shown')) },
  {
    page: 'Get started',
    go: journey(
      open('/settings/start'),
      reads('Make the administrator'),
      press('Put off'),
      reads('Put off'),
      follow('Branding'),
      reads('What everybody sees of this installation'),
    ),
  },
  {
    page: 'Branding',
    go: journey(open('/settings/branding'), fill('Name', 'At {id}'), press('Save'), reads('Saved')),
  },
  {
    page: 'Signing keys',
    go: journey(
      open('/settings/keys'),
      reads('Signs', 'Next'),
      follow('Replace keys at once'),
      follow('Cancel'),
    ),
  },
  { page: 'API', go: journey(open('/settings/api'), reads('GET /api/v1/access/matrix', 'api:audit:read')) },
  { page: 'About', go: journey(open('/settings/about'), reads('Node.js', 'LMDB')) },
  {
    page: 'Account',
    go: journey(open('/account'), reads('This session', 'Admin'), press('Save display'), reads('Theme')),
  },
];

export const journeys = [...cluster, ...access, ...observe, ...settings];
