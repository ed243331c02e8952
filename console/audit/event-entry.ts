/** The entry of an event from what is said of it for the log: the same facts, under the names that entries have. */
import type { AuditFields } from '../../platform/log.ts';
import type { EntryActor, EntryFields, EntryObject } from './entry.ts';

export function entryOf(event: string, fields: AuditFields): EntryFields {
  const {
    actor: _actor,
    actorKind: _kind,
    session: _session,
    via: _via,
    source,
    outcome,
    requestId,
    target: _target,
    changes,
    clientId,
    jti,
    durationMs,
    traceId,
    grantId,
    decisionId,
    member,
    permission,
    rule,
    missing,
    status,
    reason,
    approval,
    elevation,
    outbox,
    ...rest
  } = fields as AuditFields & Readonly<Record<string, string | undefined>>;
  const detail = Object.keys(rest).length === 0 ? undefined : rest;
  return {
    event,
    outcome,
    actor: actorOf(event, fields),
    object: createObjectOf()(event, fields),
    change: changes as EntryFields['change'],
    source,
    requestId,
    client: clientId,
    traceId,
    tokenId: jti,
    grantId,
    decisionId,
    member,
    permission,
    rule,
    missing,
    status: status as number | undefined,
    ms: durationMs as number | undefined,
    reason,
    approval,
    elevation,
    outbox,
    detail,
  };
}

function actorOf(event: string, fields: AuditFields): EntryActor | undefined {
  const { actor, session, via } = fields as AuditFields & Partial<Omit<EntryActor, 'kind' | 'id'>>;
  if (actor === undefined) return undefined;
  return { kind: actorKindOf(event, fields) as EntryActor['kind'], id: actor, session, via };
}

/** What an entry says that acted. */
export function actorKindOf(event: string, { actor, actorKind, clientId }: AuditFields): unknown {
  if (actorKind !== undefined) return actorKind;
  if (String(actor).startsWith('local:')) return 'local';
  // Clients act at the token endpoint, and at members as themselves when the token is of nobody else.
  return event.startsWith('token.') || actor === clientId ? 'client' : 'user';
}

/** A map, queue or the like that a route is about. */
interface Structure {
  readonly kind: string;
  /** Which part of the path is its name. */
  readonly at: number;
}

/** There are as many as the members have addresses. */
const mostRoutes = 1000;

/** What a call to a member was about, or what a change has changed: the first word of its event names the kind. */
export function createObjectOf() {
  const structures = new Map<string, Structure | undefined>();

  return (event: string, { target, route, path }: AuditFields): EntryObject | undefined => {
    if (target !== undefined) return { kind: event.slice(0, endOfFirst(event)), id: String(target) };
    if (typeof route !== 'string' || typeof path !== 'string') return undefined;
    const structure = structureOf(route);
    if (!structure) return undefined;
    const name = path.replace(/^\/members\/[^/]+/, '').split('/', structure.at + 1)[structure.at];
    return name === undefined ? undefined : { kind: structure.kind, id: decoded(name) };
  };

  function structureOf(route: string): Structure | undefined {
    if (structures.has(route)) return structures.get(route);
    const found = /\/(map|queue|topic|set|list)s\/\{(?:\w*[nN]ame)\}/.exec(route);
    const structure = found
      ? { kind: found[1]!, at: route.slice(0, found.index).split('/').length + 1 }
      : undefined;
    if (structures.size < mostRoutes) structures.set(route, structure);
    return structure;
  }
}

function endOfFirst(event: string): number {
  const dot = event.indexOf('.');
  return dot < 0 ? event.length : dot;
}

function decoded(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // no percent-encoding
  }
}
