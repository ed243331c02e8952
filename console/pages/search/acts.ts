/** What can be done, found by its words: "rotate billing", "end sessions ada", "hot backup". */
import { cpHref } from '../../../views/management/cluster/cp.tsx';
import { operationsHref } from '../../../views/management/cluster/operations.tsx';
import { wanHref } from '../../../views/management/cluster/wan.tsx';
import { keysHref } from '../../../views/management/settings/keys.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { siteMap } from '../site-map.ts';
import { type Found, type Kind, wordsOf } from './found.ts';
import { applications, clients, maps, members, publishers, queues, roles, users } from './kinds.ts';

/** Something that is done with one thing of a kind. */
export interface ActWithThing {
  readonly verb: string;
  readonly kind: Kind;
  readonly operation: string;
  readonly titleOf: (name: string) => string;
  /** In the address of the thing; none where its page has the button. */
  readonly act?: string;
}

const withThings: readonly ActWithThing[] = [
  of('rotate', clients, 'createClientSecret', (name) => `Rotate the secret of ${name}`, 'rotate'),
  of('rotate', applications, 'createApplicationSecret', (name) => `Rotate the secret of ${name}`, 'rotate'),
  of('end', users, 'endUserSessions', (name) => `End all sessions of ${name}`, 'end-sessions'),
  of('reset', users, 'resetUserPassword', (name) => `Reset the password of ${name}`, 'reset-password'),
  of('drain', queues, 'drainQueue', (name) => `Drain the queue ${name}`, 'drain'),
  of('poll', queues, 'pollQueue', (name) => `Poll the queue ${name}`, 'poll'),
  of('clear', maps, 'clearMap', (name) => `Clear the map ${name}`, 'clear'),
  of('clear', publishers, 'clearWanPublisher', (name) => `Clear the queues of ${name}`, 'clear'),
  of('sync', publishers, 'syncWanPublisher', (name) => `Synchronize ${name}`, 'sync'),
  of('shut', members, 'shutDownMember', (name) => `Shut down ${name}`, 'shut-down'),
  ...buttons('disable', 'Disable', [
    [users, 'disableUser'],
    [clients, 'disableClient'],
    [applications, 'disableApplication'],
  ]),
  ...buttons('enable', 'Enable', [
    [users, 'enableUser'],
    [clients, 'enableClient'],
    [applications, 'enableApplication'],
  ]),
  ...buttons('edit', 'Edit', [
    [users, 'updateUser'],
    [clients, 'updateClient'],
    [applications, 'updateApplication'],
    [roles, 'updateRole'],
  ]),
  ...buttons('drain', 'Drain', [[members, 'drainMember']]),
  ...buttons('undrain', 'Undrain', [[members, 'undrainMember']]),
  ...buttons('pause', 'Pause', [[publishers, 'pauseWanPublisher']]),
  ...buttons('resume', 'Resume', [[publishers, 'resumeWanPublisher']]),
  of('remove', users, 'deleteUser', (name) => `Remove the user ${name}`, 'remove'),
  of('remove', clients, 'deleteClient', (name) => `Remove the machine client ${name}`, 'remove'),
  of('remove', applications, 'deleteApplication', (name) => `Remove the application ${name}`, 'remove'),
  of('remove', roles, 'deleteRole', (name) => `Remove the role ${name}`, 'remove'),
];

/** What is done with nothing that has a name. */
interface Lone {
  readonly title: string;
  readonly operation: string;
  readonly href: string;
}

const lone: readonly Lone[] = [
  { title: 'Add user', operation: 'createUser', href: '/access/users?do=new' },
  { title: 'Add role', operation: 'createRole', href: '/access/roles?do=new' },
  { title: 'Add machine client', operation: 'createClient', href: '/access/clients?do=new' },
  { title: 'Add application', operation: 'createApplication', href: '/access/applications?do=new' },
  { title: 'Add WAN publisher', operation: 'addWanConfig', href: `${wanHref}?do=new` },
  { title: 'Rotate signing keys', operation: 'rotateKeys', href: `${keysHref}?do=rotate` },
  { title: 'Replace signing keys at once', operation: 'rotateKeys', href: `${keysHref}?do=rotate-now` },
  { title: 'Start a hot backup', operation: 'startHotBackup', href: `${operationsHref}?do=backup` },
  { title: 'Change the cluster state', operation: 'changeClusterState', href: operationsHref },
  { title: 'Raise the cluster version', operation: 'changeClusterVersion', href: operationsHref },
  { title: 'Shut down the cluster', operation: 'shutDownCluster', href: `${operationsHref}?do=shut-down` },
  { title: 'Reset the CP subsystem', operation: 'resetCp', href: `${cpHref}?do=reset` },
];

/** All operations that an act asks for. */
export const actOperations: readonly string[] = [
  ...new Set([...withThings, ...lone].map(({ operation }) => operation)),
];

/** Said beside a name, and not meant as one. */
const fillers =
  /^(?:the|of|all|down|secrets?|sessions?|passwords?|users?|roles?|clients?|maps?|queues?|members?)$/;

/** The text begins with what is to be done. @returns what may be meant by it, and the name that is left */
export function actsNamed(text: string): { readonly acts: readonly ActWithThing[]; readonly rest: string } {
  const [verb = '', ...others] = text.split(/\s+/);
  const said = others.filter((word) => !fillers.test(word.toLowerCase()));
  const rest = (said.length > 0 ? said : others).join(' ');
  const acts = rest === '' ? [] : withThings.filter((act) => act.verb === verb.toLowerCase());
  return { acts, rest };
}

export function actOn({ titleOf, act }: ActWithThing, { name, href, isMeant }: Found): Found {
  return { name: titleOf(name), href: act === undefined ? href : `${href}?do=${act}`, isMeant };
}

/** Each word of the text begins one of the title. @param may  operations that the person may run */
export function loneActs(text: string, may: ReadonlySet<string>): readonly Found[] {
  return lone
    .filter(({ operation, title }) => may.has(operation) && hasBeginnings(title, text))
    .map(({ title, href }) => ({ name: title, href, isMeant: title.toLowerCase() === text.toLowerCase() }));
}

/** By their titles in the language of the page. @param open  the addresses of pages that the person may open */
export function pagesNamed(text: string, open: ReadonlySet<string>, t: Translate): readonly Found[] {
  return siteMap
    .flatMap(({ pages }) => pages)
    .map(({ title, about, href }) => ({ title: t(title), about: t(about), href }))
    .filter(({ href, title }) => open.has(href) && hasBeginnings(title, text))
    .map(({ title, about, href }) => ({
      name: title,
      about,
      href,
      isMeant: title.toLowerCase() === text.toLowerCase(),
    }));
}

function hasBeginnings(title: string, text: string): boolean {
  const said = wordsOf(title);
  return wordsOf(text).every((word) => said.some((one) => one.startsWith(word)));
}

function of(
  verb: string,
  kind: Kind,
  operation: string,
  titleOf: ActWithThing['titleOf'],
  act: string,
): ActWithThing {
  return { verb, kind, operation, titleOf, act };
}

/** What is a button on the page of the thing, and asks nothing. */
function buttons(
  verb: string,
  word: string,
  all: readonly (readonly [Kind, string])[],
): readonly ActWithThing[] {
  return all.map(([kind, operation]) => ({ verb, kind, operation, titleOf: (name) => `${word} ${name}` }));
}
