/** What entries can be asked by, and the terms by which the index knows them. */
import type { Entry } from '../entry.ts';

/** All that is given holds. */
export interface EntryFilter {
  /** Id of who acted. */
  readonly actor?: string | undefined;
  readonly objectKind?: string | undefined;
  readonly objectId?: string | undefined;
  /** Through which it was done, or which did it. */
  readonly client?: string | undefined;
  /** Its name, or its first word and `.*`. */
  readonly event?: string | undefined;
  readonly outcome?: string | undefined;
  readonly member?: string | undefined;
  readonly decision?: string | undefined;
  /** Any id that joins entries: of a decision, request, token, grant, session, approval, trace. */
  readonly id?: string | undefined;
  /** Only those that say what they have changed. */
  readonly isChange?: boolean | undefined;
  /** Epoch milliseconds, the first that is wanted. */
  readonly since?: number | undefined;
  /** The first that is not. */
  readonly until?: number | undefined;
}

/** Of nearly all entries, so that it narrows nothing. */
const common = 'success';

/** Of each entry that has changed something: an index of an earlier version lacks it in its older blocks. */
export const changeTerm = 'z';
/** What the line of such an entry has, and hardly another one. */
export const changeNeedle = '"change":{';

/**
 * Of one entry; each once. Two conditions that are asked for together have a term of their own where each alone is of
 * many blocks, and both are of few.
 */
export function termsOf(entry: Entry): ReadonlySet<string> {
  const { actor, object, event, outcome } = entry;
  const terms = new Set([`v${event}`, `v${groupOf(event)}.*`, `u${outcome}`, `w${event}\0${outcome}`]);
  if (actor) terms.add(`a${actor.id}`).add(`y${actor.id}\0${event}`);
  if (actor?.kind === 'client') terms.add(`c${actor.id}`);
  if (object) terms.add(`k${object.kind}`).add(`o${object.id}`).add(`p${object.kind}\0${object.id}`);
  if (object && outcome !== common) terms.add(`x${object.id}\0${outcome}`);
  if (entry.client !== undefined) terms.add(`c${entry.client}`);
  if (entry.member !== undefined) terms.add(`m${entry.member}`);
  if (entry.change !== undefined) terms.add(changeTerm);
  for (const id of idsOf(entry)) terms.add(`i${id}`);
  return terms;
}

/** Of which each entry that fits has every one. */
export function termsOfFilter(filter: EntryFilter): readonly string[] {
  const { actor, objectKind, objectId, client, event, outcome, member, decision, id, isChange } = filter;
  const isWhole = event !== undefined && !event.endsWith('.*');
  const byActor = isWhole && actor !== undefined;
  const byObject = objectId !== undefined && outcome !== undefined && outcome !== common;
  return [
    byActor ? `y${actor}\0${event}` : undefined,
    byObject ? `x${objectId}\0${outcome}` : undefined,
    isWhole && outcome !== undefined ? `w${event}\0${outcome}` : undefined,
    actor === undefined || byActor ? undefined : `a${actor}`,
    objectKind !== undefined && objectId !== undefined ? `p${objectKind}\0${objectId}` : undefined,
    objectKind !== undefined && objectId === undefined ? `k${objectKind}` : undefined,
    objectId !== undefined && objectKind === undefined && !byObject ? `o${objectId}` : undefined,
    client === undefined ? undefined : `c${client}`,
    event !== undefined && !byActor && !(isWhole && outcome !== undefined) ? `v${event}` : undefined,
    outcome !== undefined && !isWhole && !byObject ? `u${outcome}` : undefined,
    member === undefined ? undefined : `m${member}`,
    decision === undefined ? undefined : `i${decision}`,
    id === undefined ? undefined : `i${id}`,
    isChange ? changeTerm : undefined,
  ].filter((term) => term !== undefined);
}

export function isMatch(entry: Entry, filter: EntryFilter): boolean {
  const { actor, object } = entry;
  const { event, since, until } = filter;
  const time = since === undefined && until === undefined ? 0 : Date.parse(entry.time);
  return (
    fits(filter.actor, actor?.id) &&
    fits(filter.objectKind, object?.kind) &&
    fits(filter.objectId, object?.id) &&
    (fits(filter.client, entry.client) || (actor?.kind === 'client' && actor.id === filter.client)) &&
    (fits(event, entry.event) || event === `${groupOf(entry.event)}.*`) &&
    fits(filter.outcome, entry.outcome) &&
    fits(filter.member, entry.member) &&
    fits(filter.decision, entry.decisionId) &&
    (filter.id === undefined || idsOf(entry).includes(filter.id)) &&
    (!filter.isChange || entry.change !== undefined) &&
    (since === undefined || time >= since) &&
    (until === undefined || time < until)
  );
}

/** What the line of each entry that fits holds, of values whose JSON text is their own. */
export function needlesOf(filter: EntryFilter): readonly string[] {
  const { since: _since, until: _until, event, id, isChange, ...values } = filter;
  const plain = Object.values(values).filter((value) => value !== undefined && isPlain(value));
  // A grant stands at the beginning of the ids of its tokens.
  const bare = [...(id !== undefined && isPlain(id) ? [id] : []), ...(isChange ? [changeNeedle] : [])];
  if (event?.endsWith('.*') && /^[\w.]+\*$/.test(event))
    return [...bare, ...plain.map(quoted), `"${event.slice(0, -1)}`];
  return [...bare, ...[...plain, ...(event === undefined ? [] : [event])].map(quoted)];
}

/** The ids that an entry has in common with others. */
export function idsOf(entry: Entry): readonly string[] {
  const { decisionId, requestId, tokenId, grantId, traceId, approval, elevation, actor } = entry;
  const calls = [decisionId, requestId, tokenId, grantOf(tokenId), grantId, traceId];
  const ids = [...calls, approval, elevation, actor?.session];
  return ids.filter((id) => typeof id === 'string');
}

/** The `jti` of a person's token begins with its grant. */
function grantOf(tokenId: unknown): string | undefined {
  if (typeof tokenId !== 'string') return undefined;
  const dot = tokenId.indexOf('.');
  return dot > 0 ? tokenId.slice(0, dot) : undefined;
}

/** Stands in a line as it is. */
function isPlain(text: string): boolean {
  return /^[\w .:@/*-]+$/.test(text);
}

function fits(wanted: string | undefined, value: string | undefined): boolean {
  return wanted === undefined || wanted === value;
}

export function groupOf(event: string): string {
  const dot = event.indexOf('.');
  return dot < 0 ? event : event.slice(0, dot);
}

function quoted(text: string | undefined): string {
  return JSON.stringify(text);
}
