/** The entry of an event from what is said of it for the log: the same facts, under the names that entries have. */
import type { AuditFields } from '../../platform/log.ts';
import type { EntryActor, EntryFields, EntryObject } from './entry.ts';

export function entryOf(event: string, fields: AuditFields): EntryFields {
  const {
    actor,
    actorKind,
    session,
    via,
    source,
    outcome,
    requestId,
    target,
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
    outbox,
    ...rest
  } = fields as AuditFields & Readonly<Record<string, string | undefined>>;
  const detail = Object.keys(rest).length === 0 ? undefined : rest;
  return {
    event,
    outcome,
    actor: actor === undefined ? undefined : actorOf(event, { actor, actorKind, session, via, clientId }),
    object: objectOf(event, target, rest),
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
    outbox,
    detail,
  };
}

type Said = Readonly<Record<string, string | undefined>>;

function actorOf(event: string, { actor, actorKind, session, via, clientId }: Said): EntryActor {
  return {
    kind: (actorKind as EntryActor['kind'] | undefined) ?? kindOf(event, actor!, clientId),
    id: actor!,
    session,
    via: via as EntryActor['via'],
  };
}

/** Clients act at the token endpoint, and at members as themselves when the token is of nobody else. */
function kindOf(event: string, actor: string, clientId: string | undefined): EntryActor['kind'] {
  if (actor.startsWith('local:')) return 'local';
  return event.startsWith('token.') || actor === clientId ? 'client' : 'user';
}

/** What a call to a member was about, or what a change has changed: the first word of its event names the kind. */
function objectOf(event: string, target: unknown, { route, path }: Said): EntryObject | undefined {
  if (target !== undefined) return { kind: event.split('.')[0]!, id: String(target) };
  const structure = /\/(map|queue|topic|set|list)s\/\{(?:\w*[nN]ame)\}/.exec(route ?? '');
  if (!structure || path === undefined) return undefined;
  const at = route!.slice(0, structure.index).split('/').length + 1;
  const name = path.replace(/^\/members\/[^/]+/, '').split('/')[at];
  return name === undefined ? undefined : { kind: structure[1]!, id: decoded(name) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // no percent-encoding
  }
}
