/** An entry of the audit as the API shows it: every field, null where there is nothing to say. */
import { z } from 'zod';
import type { Digest, Entry } from '../../audit/entry.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';

const text = z.string();
/** Of the entry that says that entries were shown. */
export const auditReadEvent = 'audit.read';

export const entryId = z.string().regex(/^[a-z0-9]{4,26}-[1-9]\d{0,15}$/);

export const entryView = view({
  id: entryId.meta({ description: 'Its writer and its number there.', example: 'w7k2abcd-184467' }),
  createdAt: dateTime,
  event: text.meta({ example: 'client.updated' }),
  outcome: text.meta({ example: 'success' }),
  actor: view({
    kind: text.meta({ example: 'user' }),
    id: text,
    name: text.nullable().meta({
      description:
        'By which the person signs in, while there is the account. Exports and streams say the id alone.',
      example: 'ada',
    }),
    session: text.nullable(),
    via: text.nullable(),
  }).nullable(),
  object: view({ kind: text.meta({ example: 'client' }), id: text }).nullable(),
  change: z.record(z.string(), z.unknown()).nullable(),
  client: text.nullable(),
  member: text.nullable(),
  permission: text.nullable(),
  rule: text.nullable(),
  missing: text.nullable(),
  reason: text.nullable(),
  status: z.number().nullable(),
  durationMs: z.number().nullable(),
  source: text.nullable(),
  requestId: text.nullable(),
  traceId: text.nullable(),
  tokenId: text.nullable(),
  grantId: text.nullable(),
  decisionId: text.nullable(),
  approval: text.nullable(),
  elevation: text.nullable().meta({ description: 'Under which the person has acted.' }),
  dryRun: z.boolean(),
  detail: z.record(z.string(), z.unknown()).nullable(),
}).meta({ id: 'AuditEntry' });

export type EntryView = z.infer<typeof entryView>;

/** Names of people by the ids of their accounts. */
export type ActorNames = ReadonlyMap<string, string>;

export function viewOfEntry(entry: Entry, names?: ActorNames): EntryView {
  const {
    v: _v,
    writer,
    seq,
    time,
    event,
    outcome,
    actor,
    object,
    change,
    status,
    ms,
    dryRun,
    outbox: _outbox,
    ...others
  } = entry;
  const { client, member, permission, rule, missing, reason, source, requestId, traceId, ...rest } = others;
  const { tokenId, grantId, decisionId, approval, elevation, detail, ...own } = rest;
  // What only some entries have, such as the signature of a check-point, is a detail of theirs.
  const details = { ...detail, ...own };
  return {
    id: `${writer}-${seq}`,
    createdAt: time,
    event: textOf(event) ?? '',
    outcome: textOf(outcome) ?? '',
    actor: actor
      ? {
          kind: textOf(actor.kind) ?? '',
          id: textOf(actor.id) ?? '',
          name: (actor.kind === 'user' ? names?.get(actor.id) : undefined) ?? null,
          session: textOf(actor.session),
          via: textOf(actor.via),
        }
      : null,
    object: object ? { kind: textOf(object.kind) ?? '', id: textOf(object.id) ?? '' } : null,
    change: change ?? null,
    ...textsOf({ client, member, permission, rule, missing, reason, source }),
    status: status ?? null,
    durationMs: ms ?? null,
    ...textsOf({ requestId, traceId, tokenId, grantId, decisionId, approval, elevation }),
    dryRun: dryRun === true,
    detail: Object.keys(details).length === 0 ? null : details,
  };
}

function textsOf<Name extends string>(
  values: Readonly<Record<Name, string | undefined>>,
): Record<Name, string | null> {
  const texts = Object.entries<string | undefined>(values).map(([name, value]) => [name, textOf(value)]);
  return Object.fromEntries(texts) as Record<Name, string | null>;
}

/** What was too large is there by its digest. */
function textOf(value: string | Digest | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : `sha256:${value.sha256} (${value.size} bytes)`;
}
