/** What scopes open, between the text of scopes and what stands in a form or a sentence. */

import { type AccessForm, renderSentence } from '../../../views/management/access/access-fields.tsx';
import type { FieldError } from '../../../views/management/forms/fields.tsx';
import { listIn, type Translate, type WordKey } from '../../../views/texts/text.ts';
import { presentationOf, textFor } from '../../http/display/presentation.ts';
import type { Form } from '../../http/form.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

/** Parts of the member surface, and what scopes for them can say. */
const memberGroups: readonly MemberGroup[] = [
  {
    id: 'cluster',
    label: 'common.cluster',
    actions: ['read', 'write'],
    meaning: 'grants.clusterMeaning',
  },
  { id: 'health', label: 'grants.health', actions: ['read'], meaning: 'grants.healthMeaning' },
  { id: 'data', label: 'grants.allStructures', actions: ['read', 'write'], meaning: 'grants.dataMeaning' },
  { id: 'wan', label: 'common.wanReplication', actions: ['read', 'write'], meaning: 'grants.wanMeaning' },
  { id: 'cp', label: 'common.cpSubsystem', actions: ['read', 'write'], meaning: 'grants.cpMeaning' },
  {
    id: 'persistence',
    label: 'grants.persistence',
    actions: ['write'],
    meaning: 'grants.persistenceMeaning',
  },
];

/** All that scopes for parts of the member surface can say. */
export const memberScopes: readonly string[] = memberGroups.flatMap(({ id, actions }) =>
  actions.map((action) => `svc:${id}:${action}`),
);

interface MemberGroup {
  readonly id: string;
  readonly label: WordKey;
  readonly actions: readonly ('read' | 'write')[];
  readonly meaning: WordKey;
}

const mapActions = ['read', 'write'] as const;
const queueActions = ['offer', 'poll', 'size'] as const;

type Action = (typeof mapActions)[number] | (typeof queueActions)[number];
const actionWords: Readonly<Record<Action, WordKey>> = {
  read: 'grants.read',
  write: 'grants.write',
  offer: 'grants.offer',
  poll: 'grants.poll',
  size: 'grants.size',
};
const groupScope = /^svc:(\w+):(read|write)$/;
const structureScope = /^svc:(map|queue):(.+):(\w+)$/;

/** A form that says the same; what it has no control for stands in `others`. */
export function accessFormOf(scopes: readonly string[], t: Translate): AccessForm {
  const groups = memberGroups.map(({ id, label, actions, meaning }) => ({
    label: t(label),
    meaning: t(meaning),
    choices: actions.map((action) => ({
      name: `access:${id}:${action}`,
      label: t(actionWords[action]),
      isChosen: scopes.includes(`svc:${id}:${action}`),
    })),
  }));
  const maps = structuresIn(scopes, 'map', mapActions, t);
  const queues = structuresIn(scopes, 'queue', queueActions, t);
  const covered = new Set([...maps.covered, ...queues.covered]);
  const others = scopes.filter((scope) => !covered.has(scope) && !isGroup(scope));
  return { sentence: sentenceOf(scopes, t), groups, maps, queues, others: others.join('\n') };
}

function isGroup(scope: string): boolean {
  const [, id, action] = groupScope.exec(scope) ?? [];
  return memberGroups.some((group) => group.id === id && group.actions.some((each) => each === action));
}

/** All structures of one kind, where the same may be done with each of them. */
function structuresIn(
  scopes: readonly string[],
  kind: 'map' | 'queue',
  actions: readonly Action[],
  t: Translate,
) {
  const byName = new Map<string, Action[]>();
  for (const scope of scopes) {
    const [, found, name, action] = structureScope.exec(scope) ?? [];
    const known = actions.find((one) => one === action);
    if (found === kind && known) byName.set(name!, [...(byName.get(name!) ?? []), known]);
  }
  const [first = []] = byName.values();
  const isSame = [...byName.values()].every(
    (own) => own.length === first.length && own.every((one) => first.includes(one)),
  );
  const chosen = isSame ? first : [];
  const names = isSame ? [...byName.keys()] : [];
  return {
    names: names.join(', '),
    actions: actions.map((action) => ({
      name: `${kind}:${action}`,
      label: t(actionWords[action]),
      isChosen: chosen.includes(action),
    })),
    covered: names.flatMap((name) => chosen.map((action) => `svc:${kind}:${name}:${action}`)),
  };
}

/** What a form says, as it was typed. */
export function typedAccess(form: Form, t: Translate): AccessForm {
  const chosen = (choices: AccessForm['maps']['actions']) =>
    choices.map((choice) => ({ ...choice, isChosen: form.has(choice.name) }));
  const { groups, maps, queues } = accessFormOf([], t);
  const typed = {
    groups: groups.map((group) => ({ ...group, choices: chosen(group.choices) })),
    maps: { names: form.get('maps') ?? '', actions: chosen(maps.actions) },
    queues: { names: form.get('queues') ?? '', actions: chosen(queues.actions) },
    others: form.get('scopes') ?? '',
  };
  return { ...typed, sentence: sentenceOf(scopesOfForm(typed), t) };
}

/**
 * Sends what the form says so far as a sentence, to a form that is being filled in.
 *
 * @param operation  that the form is for
 * @returns whether that was asked
 */
export async function sendSentence(ctx: PageContext, tools: PageTools, operation: string): Promise<boolean> {
  const { form } = ctx.state;
  if (form.get('show') !== 'sentence') return false;
  await tools.check(ctx, operation);
  tools.send(ctx, renderSentence(typedAccess(form, textFor(ctx)), presentationOf(ctx)));
  return true;
}

/** The scopes of a form, each once. */
export function scopesOfForm({
  groups,
  maps,
  queues,
  others,
}: Omit<AccessForm, 'sentence'>): readonly string[] {
  const ofGroups = groups
    .flatMap(({ choices }) => choices)
    .filter(({ isChosen }) => isChosen)
    .map(({ name }) => name.replace('access:', 'svc:'));
  const ofNames = [
    { kind: 'map', ...maps },
    { kind: 'queue', ...queues },
  ].flatMap(({ kind, names, actions }) =>
    wordsOf(names).flatMap((name) =>
      actions
        .filter(({ isChosen }) => isChosen)
        .map((action) => `svc:${kind}:${name}:${action.name.slice(kind.length + 1)}`),
    ),
  );
  return [...new Set([...ofGroups, ...ofNames, ...wordsOf(others)])];
}

/**
 * What is said by halves: names with nothing that may be done with them, or the other way round. It would be left out without a word.
 *
 * @param isNeeded  whether it has to open something
 */
export function accessProblems(access: AccessForm, t: Translate, isNeeded = false): readonly FieldError[] {
  const halves = [
    { ...access.maps, field: 'maps', unnamed: t('grants.mapsUnnamed') },
    { ...access.queues, field: 'queues', unnamed: t('grants.queuesUnnamed') },
  ].flatMap(({ names, actions, field, unnamed }) => {
    const words = wordsOf(names);
    const isChosen = actions.some((action) => action.isChosen);
    if (words.length > 0 === isChosen) return [];
    return { field, text: isChosen ? unnamed : t('grants.actionUnchosen', { names: listed(words, t) }) };
  });
  if (halves.length > 0 || !isNeeded || scopesOfForm(access).length > 0) return halves;
  return [{ field: 'access', text: t('grants.nothingChosen') }];
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

/** One sentence: what somebody with these scopes may do. */
export function sentenceOf(scopes: readonly string[], t: Translate): string {
  return scopes.length === 0 ? t('grants.mayNothing') : t('grants.mayOnly', { what: phraseOf(scopes, t) });
}

/** The same, for within a sentence. @param scopes  at least one */
export function phraseOf(scopes: readonly string[], t: Translate): string {
  const byActions = new Map<Said['verb'], string[]>();
  const others: string[] = [];
  for (const scope of scopes) {
    const said = wordsFor(scope, t);
    if (said) byActions.set(said.verb, [...(byActions.get(said.verb) ?? []), said.noun]);
    else others.push(scope);
  }
  const phrases = [...byActions].map(([verb, nouns]) => t(verb, { what: listed(nouns, t) }));
  if (others.length > 0)
    phrases.push(t(phrases.length > 0 ? 'grants.andHas' : 'grants.toHave', { what: listed(others, t) }));
  return listed(phrases, t);
}

/** What may be done, with a gap for what it is done to. */
type Verb =
  | 'grants.toRead'
  | 'grants.toChange'
  | 'grants.toWrite'
  | 'grants.toOffer'
  | 'grants.toPoll'
  | 'grants.toReadSize';

interface Said {
  readonly verb: Verb;
  readonly noun: string;
}

const mapVerbs: Readonly<Record<string, Verb>> = { read: 'grants.toRead', write: 'grants.toWrite' };
const queueVerbs: Readonly<Record<string, Verb>> = {
  offer: 'grants.toOffer',
  poll: 'grants.toPoll',
  size: 'grants.toReadSize',
};
const groupNouns: Readonly<Record<string, WordKey>> = {
  cluster: 'grants.clusterState',
  health: 'grants.membersHealth',
  data: 'grants.allMapsAndQueues',
  wan: 'grants.wan',
  cp: 'grants.cp',
  persistence: 'grants.toPersistence',
};

function wordsFor(scope: string, t: Translate): Said | undefined {
  const [, kind, name = '', action = ''] = structureScope.exec(scope) ?? [];
  if (kind === 'map' && mapVerbs[action]) return { verb: mapVerbs[action], noun: t('grants.map', { name }) };
  if (kind === 'queue' && queueVerbs[action])
    return { verb: queueVerbs[action], noun: t('grants.queue', { name }) };
  const [, group = '', access] = groupScope.exec(scope) ?? [];
  const noun = groupNouns[group];
  if (noun === undefined) return undefined;
  return { verb: access === 'write' ? 'grants.toChange' : 'grants.toRead', noun: t(noun) };
}

/** The first eight of them. */
function listed(words: readonly string[], t: Translate): string {
  const shown = words.length > 8 ? [...words.slice(0, 7), t('access.more', { n: words.length - 7 })] : words;
  return listIn(t.language, shown);
}
