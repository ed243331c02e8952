/** What can be done, found by its words: "rotate billing", "end sessions ada", "hot backup". */

import type { Language } from '../../../views/elements/moment.ts';
import { cpHref } from '../../../views/management/cluster/cp.tsx';
import { operationsHref } from '../../../views/management/cluster/operations.tsx';
import { wanHref } from '../../../views/management/cluster/publisher-cells.tsx';
import { keysHref } from '../../../views/management/settings/keys.tsx';
import type { TextKey } from '../../../views/texts/english.ts';
import { type GapOf, type Translate, textsIn, type WordKey } from '../../../views/texts/text.ts';
import { findsWords, folded, namesWords } from '../../http/display/words.ts';
import { siteMap } from '../site-map.ts';
import type { Found, Kind } from './found.ts';
import { applications, clients, maps, members, publishers, queues, roles, users } from './kinds.ts';

/** Something that is done with one thing of a kind. */
export interface ActWithThing {
  /** Typed first in English; in other languages beside the name. */
  readonly verb: WordKey;
  readonly kind: Kind;
  readonly operation: string;
  readonly title: NamedKey;
  /** Behind the address of the thing: the act that its page asks about, or where its button stands; none: on top. */
  readonly place?: '' | `?do=${string}` | `#${string}`;
}

/** Of texts with a name in them. */
type NamedKey = {
  [K in TextKey]: GapOf<K> extends 'name' ? ('name' extends GapOf<K> ? K : never) : never;
}[TextKey];

const withThings: readonly ActWithThing[] = [
  of('search.verbRotate', clients, 'createClientSecret', 'search.rotateSecret', 'rotate'),
  of('search.verbRotate', applications, 'createApplicationSecret', 'search.rotateSecret', 'rotate'),
  of('search.verbEnd', users, 'endUserSessions', 'search.endSessions', 'end-sessions'),
  of('search.verbReset', users, 'resetUserPassword', 'search.resetPassword', 'reset-password'),
  of('search.verbDrainQueue', queues, 'startQueueDrain', 'search.drainQueue', 'drain'),
  of('search.verbPoll', queues, 'pollQueue', 'search.pollQueue', 'poll'),
  of('search.verbClear', maps, 'clearMap', 'search.clearMap', 'clear'),
  of('search.verbClear', publishers, 'clearWanPublisher', 'search.clearQueuesOf', 'clear'),
  of('search.verbSync', publishers, 'syncWanPublisher', 'search.synchronize', 'sync'),
  of('search.verbShut', members, 'shutDownMember', 'search.shutDownMember', 'shut-down'),
  ...buttons(
    'search.verbDisable',
    'search.disable',
    [
      [users, 'disableUser'],
      [clients, 'disableClient'],
      [applications, 'disableApplication'],
    ],
    '#more',
  ),
  ...buttons(
    'search.verbEnable',
    'search.enable',
    [
      [users, 'enableUser'],
      [clients, 'enableClient'],
      [applications, 'enableApplication'],
    ],
    '#more',
  ),
  ...buttons(
    'search.verbEdit',
    'search.edit',
    [
      [users, 'updateUser'],
      [clients, 'updateClient'],
      [applications, 'updateApplication'],
      [roles, 'updateRole'],
    ],
    '#edit',
  ),
  ...buttons('search.verbDrain', 'search.drainMember', [[members, 'drainMember']]),
  ...buttons('search.verbUndrain', 'search.undrainMember', [[members, 'undrainMember']]),
  ...buttons('search.verbPause', 'search.pause', [[publishers, 'pauseWanPublisher']]),
  ...buttons('search.verbResume', 'search.resume', [[publishers, 'resumeWanPublisher']]),
  of('search.verbRemove', users, 'deleteUser', 'search.removeUser', 'remove'),
  of('search.verbRemove', clients, 'deleteClient', 'search.removeClient', 'remove'),
  of('search.verbRemove', applications, 'deleteApplication', 'search.removeApplication', 'remove'),
  of('search.verbRemove', roles, 'deleteRole', 'search.removeRole', 'remove'),
];

/** What is done with nothing that has a name. */
interface Lone {
  readonly title: WordKey;
  /** What else it is looked for as. */
  readonly alias?: WordKey;
  readonly operation: string;
  readonly href: string;
}

const lone: readonly Lone[] = [
  {
    title: 'users.inviteUser',
    alias: 'search.addUser',
    operation: 'createUser',
    href: '/access/users?do=new',
  },
  { title: 'search.addRole', operation: 'createRole', href: '/access/roles?do=new' },
  { title: 'common.addMachineClient', operation: 'createClient', href: '/access/clients?do=new' },
  { title: 'common.addApplication', operation: 'createApplication', href: '/access/applications?do=new' },
  { title: 'search.addPublisher', operation: 'addWanConfig', href: `${wanHref}?do=new` },
  { title: 'common.rotateSigningKeys', operation: 'rotateKeys', href: `${keysHref}?do=rotate` },
  { title: 'common.replaceSigningKeysOnce', operation: 'rotateKeys', href: `${keysHref}?do=rotate-now` },
  { title: 'sessions.endAll', operation: 'endAllSessions', href: '/access/sessions?do=end-all' },
  { title: 'search.startBackup', operation: 'startHotBackup', href: `${operationsHref}?do=backup` },
  { title: 'search.changeState', operation: 'changeClusterState', href: operationsHref },
  { title: 'search.raiseVersion', operation: 'changeClusterVersion', href: operationsHref },
  { title: 'search.shutDownCluster', operation: 'shutDownCluster', href: `${operationsHref}?do=shut-down` },
  { title: 'search.resetCp', operation: 'resetCp', href: `${cpHref}?do=reset` },
];

/** All operations that an act asks for. */
export const actOperations: readonly string[] = [
  ...new Set([...withThings, ...lone].map(({ operation }) => operation)),
];

/** Said beside a name, and not meant as one. */
const fillers: Readonly<Record<Language, RegExp>> = {
  en: /^(?:the|of|all|down|secrets?|sessions?|passwords?|users?|roles?|clients?|maps?|queues?|members?)$/,
  de: /^(?:der|die|das|dem|den|von|aus|alle|mehrere|secrets?|sitzung(?:en)?|passwort|benutzer|rollen?|clients?|maps?|queues?|member|beenden)$/,
};

/**
 * The text begins with what is to be done; in German it may end with it.
 *
 * @returns what may be meant by it, and the name that is left
 */
export function actsNamed(
  text: string,
  t: Translate,
): { readonly acts: readonly ActWithThing[]; readonly rest: string } {
  const words = text.split(/\s+/);
  const [first = '', ...behind] = words;
  const begun = named(first, behind, inEnglish);
  if (begun.acts.length > 0 || t.language === 'en') return begun;
  const own = named(first, behind, t);
  return own.acts.length > 0 ? own : named(words.at(-1) ?? '', words.slice(0, -1), t);
}

const inEnglish = textsIn('en');

function named(verb: string, others: readonly string[], t: Translate) {
  const said = others.filter((word) => !fillers[t.language].test(word.toLowerCase()));
  const rest = (said.length > 0 ? said : others).join(' ');
  const acts = rest === '' ? [] : withThings.filter((act) => folded(t(act.verb)) === folded(verb));
  return { acts, rest };
}

export function actOn(
  { title, place = '' }: ActWithThing,
  { name, href, isMeant }: Found,
  t: Translate,
): Found {
  return { name: t(title, { name }), href: `${href}${place}`, isMeant };
}

/** By their titles, in the language of the page or in English. @param may  operations that the person may run */
export function loneActs(text: string, may: ReadonlySet<string>, t: Translate): readonly Found[] {
  return lone
    .filter(({ operation, title, alias = title }) => {
      return may.has(operation) && (isTitled(title, text, t) || isTitled(alias, text, t));
    })
    .map(({ title, alias = title, href }) => ({
      name: t(title),
      href,
      isMeant: isMeant(title, text, t) || isMeant(alias, text, t),
    }));
}

/** By their titles and what they show, in the language of the page or in English. @param open  the addresses of pages that the person may open */
export function pagesNamed(text: string, open: ReadonlySet<string>, t: Translate): readonly Found[] {
  const pages = siteMap.flatMap(({ pages: own }) => own).filter(({ href }) => open.has(href));
  const titled = pages.filter(({ title }) => isTitled(title, text, t));
  const others = pages.filter(
    (page) => !titled.includes(page) && findsWords(t(page.title), [t(page.about)], text, t.language),
  );
  return [...titled, ...others].map(({ title, about, href }) => ({
    name: t(title),
    about: t(about),
    href,
    isMeant: isMeant(title, text, t),
  }));
}

function isTitled(title: WordKey, text: string, t: Translate): boolean {
  return [t, inEnglish].some((texts) => namesWords(texts(title), text, texts.language));
}

function isMeant(title: WordKey, text: string, t: Translate): boolean {
  return [t, inEnglish].some((texts) => folded(texts(title)) === folded(text));
}

function of(verb: WordKey, kind: Kind, operation: string, title: NamedKey, act: string): ActWithThing {
  return { verb, kind, operation, title, place: `?do=${act}` };
}

/** What is a button on the page of the thing, and asks nothing. */
function buttons(
  verb: WordKey,
  title: NamedKey,
  all: readonly (readonly [Kind, string])[],
  place?: `#${string}`,
): readonly ActWithThing[] {
  return all.map(([kind, operation]) => ({ verb, kind, operation, title, ...(place && { place }) }));
}
