/** What scopes open, between the text of scopes and what stands in a form or a sentence. */
import type { AccessForm } from '../../../views/management/access/access-fields.tsx';
import type { Form } from '../../http/form.ts';

/** Parts of the member surface, and what scopes for them can say. */
export const memberGroups: readonly MemberGroup[] = [
  {
    id: 'cluster',
    label: 'Cluster',
    actions: ['read', 'write'],
    meaning: 'state, members, log level, shutdown',
  },
  { id: 'health', label: 'Health', actions: ['read'], meaning: 'health of members' },
  { id: 'data', label: 'All maps and queues', actions: ['read', 'write'], meaning: 'every entry and item' },
  { id: 'wan', label: 'WAN replication', actions: ['read', 'write'], meaning: 'publishers and their queues' },
  { id: 'cp', label: 'CP subsystem', actions: ['read', 'write'], meaning: 'members, groups and sessions' },
  {
    id: 'persistence',
    label: 'Persistence',
    actions: ['write'],
    meaning: 'hot backup, partial and force start',
  },
];

interface MemberGroup {
  readonly id: string;
  readonly label: string;
  readonly actions: readonly ('read' | 'write')[];
  readonly meaning: string;
}

const mapActions = ['read', 'write'] as const;
const queueActions = ['offer', 'poll', 'size'] as const;
const groupScope = /^svc:(\w+):(read|write)$/;
const structureScope = /^svc:(map|queue):(.+):(\w+)$/;

/** A form that says the same; what it has no control for stands in `others`. */
export function accessFormOf(scopes: readonly string[]): AccessForm {
  const groups = memberGroups.map(({ id, label, actions, meaning }) => ({
    label,
    meaning,
    choices: actions.map((action) => ({
      name: `access:${id}:${action}`,
      label: action,
      isChosen: scopes.includes(`svc:${id}:${action}`),
    })),
  }));
  const maps = structuresIn(scopes, 'map', mapActions);
  const queues = structuresIn(scopes, 'queue', queueActions);
  const covered = new Set([...maps.covered, ...queues.covered]);
  const others = scopes.filter((scope) => !covered.has(scope) && !isGroup(scope));
  return { groups, maps, queues, others: others.join('\n') };
}

function isGroup(scope: string): boolean {
  const [, id, action] = groupScope.exec(scope) ?? [];
  return memberGroups.some((group) => group.id === id && group.actions.some((each) => each === action));
}

/** All structures of one kind, where the same may be done with each of them. */
function structuresIn(scopes: readonly string[], kind: 'map' | 'queue', actions: readonly string[]) {
  const byName = new Map<string, string[]>();
  for (const scope of scopes) {
    const [, found, name, action] = structureScope.exec(scope) ?? [];
    if (found === kind && actions.includes(action!))
      byName.set(name!, [...(byName.get(name!) ?? []), action!]);
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
      label: action,
      isChosen: chosen.includes(action),
    })),
    covered: names.flatMap((name) => chosen.map((action) => `svc:${kind}:${name}:${action}`)),
  };
}

/** What a form says, as it was typed. */
export function typedAccess(form: Form): AccessForm {
  const chosen = (choices: AccessForm['maps']['actions']) =>
    choices.map((choice) => ({ ...choice, isChosen: form.has(choice.name) }));
  const { groups, maps, queues } = accessFormOf([]);
  return {
    groups: groups.map((group) => ({ ...group, choices: chosen(group.choices) })),
    maps: { names: form.get('maps') ?? '', actions: chosen(maps.actions) },
    queues: { names: form.get('queues') ?? '', actions: chosen(queues.actions) },
    others: form.get('scopes') ?? '',
  };
}

/** The scopes of a form, each once. */
export function scopesOfForm({ groups, maps, queues, others }: AccessForm): readonly string[] {
  const ofGroups = groups
    .flatMap(({ choices }) => choices)
    .filter(({ isChosen }) => isChosen)
    .map(({ name }) => name.replace('access:', 'svc:'));
  const ofNames = [
    { kind: 'map', ...maps },
    { kind: 'queue', ...queues },
  ].flatMap(({ kind, names, actions }) =>
    wordsOf(names).flatMap((name) =>
      actions.filter(({ isChosen }) => isChosen).map(({ label }) => `svc:${kind}:${name}:${label}`),
    ),
  );
  return [...new Set([...ofGroups, ...ofNames, ...wordsOf(others)])];
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

/** One sentence: what somebody with these scopes may do. */
export function sentenceOf(scopes: readonly string[]): string {
  if (scopes.length === 0) return 'May do nothing.';
  const byActions = new Map<string, string[]>();
  const others: string[] = [];
  for (const scope of scopes) {
    const said = wordsFor(scope);
    if (said) byActions.set(said.verb, [...(byActions.get(said.verb) ?? []), said.noun]);
    else others.push(scope);
  }
  const phrases = [...byActions].map(([verb, nouns]) => `${verb} ${listed(nouns)}`);
  if (others.length > 0) phrases.push(`${phrases.length > 0 ? 'has' : 'have'} ${listed(others)}`);
  return `May ${listed(phrases)}. Nothing else.`;
}

const queueVerbs: Readonly<Record<string, string>> = {
  offer: 'offer to',
  poll: 'poll',
  size: 'read the size of',
};
const groupNouns: Readonly<Record<string, string>> = {
  cluster: 'the cluster’s state',
  health: 'the members’ health',
  data: 'all maps and queues',
  wan: 'WAN replication',
  cp: 'the CP subsystem',
  persistence: 'persistence',
};

function wordsFor(scope: string): { readonly verb: string; readonly noun: string } | undefined {
  const [, kind, name, action = ''] = structureScope.exec(scope) ?? [];
  if (kind === 'map' && mapActions.some((each) => each === action))
    return { verb: action, noun: `map “${name}”` };
  if (kind === 'queue' && queueVerbs[action]) return { verb: queueVerbs[action], noun: `queue “${name}”` };
  const [, group = '', access] = groupScope.exec(scope) ?? [];
  const noun = groupNouns[group];
  if (noun === undefined) return undefined;
  return { verb: access === 'write' ? 'change' : 'read', noun };
}

/** The first eight of them. */
function listed(words: readonly string[]): string {
  const shown = words.length > 8 ? [...words.slice(0, 7), `${words.length - 7} more`] : words;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
