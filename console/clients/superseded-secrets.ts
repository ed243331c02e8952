/**
 * Ends a secret once the one that was made after it is used (docs/admin-api.md#end-of-a-rotated-secret). What is asked at each token is
 * a comparison in memory; the first use is one change, in one transaction with its entry of the audit, whichever process
 * of whichever console sees it, and where several do.
 */
import type { AuditFields } from '../../platform/log.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { ClientRecord, ClientSecretRecord } from '../storage/records.ts';
import type { NamedArtifact } from '../storage/storage.ts';
import { awaitsUse, endedByUse, secretIds } from './client-secrets.ts';

/** As long as others that are the same client may take to read the new secret, milliseconds. */
export const graceMs = 5 * 60_000;

/** The entry of the end, to be stored with it. */
export interface PreparedEntry {
  readonly records: readonly NamedArtifact[];
  say(): Promise<void>;
}

export interface SupersededSecretsDeps {
  readonly records: Pick<RecordStore, 'change'>;
  readonly prepareEntry: (event: string, fields: AuditFields) => PreparedEntry;
  readonly onFailure: (error: unknown, clientId: string) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export type SupersededSecrets = ReturnType<typeof createSupersededSecrets>;

/** After a store that took nothing. */
const pauseAfterFailureMs = 5_000;

export function createSupersededSecrets({ records, prepareEntry, onFailure, now }: SupersededSecretsDeps) {
  /** A record that has changed is another object: what was done about this one is done. */
  const nextTry = new WeakMap<ClientRecord, number>();

  return {
    /** The client has proved who it is by this secret. On every such request, and nearly always nothing. */
    recordUse(client: ClientRecord, secret: ClientSecretRecord): void {
      if (client.secrets.length < 2 || !awaitsUse(client, secret)) return;
      const at = nextTry.get(client);
      if (at !== undefined && at > now()) return;
      nextTry.set(client, Number.POSITIVE_INFINITY);
      end(client.id, secret).catch((error) => {
        nextTry.set(client, now() + pauseAfterFailureMs);
        onFailure(error, client.id);
      });
    },
  };

  async function end(clientId: string, used: ClientSecretRecord): Promise<void> {
    const entry = await records.change(async (transaction) => {
      const before = await transaction.get('clients', clientId);
      const endsAt = now() + graceMs;
      const secrets = before && endedByUse(before, used, endsAt);
      // Another process was faster, or somebody has changed it meanwhile.
      if (!before || !secrets) return undefined;
      transaction.put('clients', { ...before, secrets, updatedAt: now() });
      const prepared = prepareEntry('client.secret_superseded', said(before, secrets, used));
      for (const { artifact, ...name } of prepared.records) transaction.putArtifact(name, artifact);
      return prepared;
    });
    await entry?.say();
  }
}

/** Which secrets end, when, and why. */
function said(
  { id, secrets: before }: ClientRecord,
  after: readonly ClientSecretRecord[],
  used: ClientSecretRecord,
): AuditFields {
  const ids = secretIds(before);
  const ended = after.flatMap((secret, i) => (secret === before[i] ? [] : [{ id: ids[i]!, secret }]));
  const latest = new Date(Math.max(...ended.map(({ secret }) => secret.expiresAt!))).toISOString();
  return {
    ...{ actor: 'console', actorKind: 'system', via: 'system', outcome: 'success' },
    target: id,
    cause: 'new_secret_used',
    used: used.id,
    ends: ended.map((one) => one.id).join(' '),
    endsAt: latest,
    changes: { secretEndsAt: { from: null, to: latest } },
  };
}
