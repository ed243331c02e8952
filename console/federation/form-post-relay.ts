/**
 * Answers that came as a form from another site, without this site's cookies. Each waits here, under a
 * random id, for the browser to come back with them.
 */
import type { ArtifactStore } from '../storage/storage.ts';
import type { SecretCipher } from './providers/secrets.ts';

export interface RelayedForm {
  readonly providerId: string;
  readonly parameters: ReadonlyMap<string, string>;
}

export type FormPostRelay = ReturnType<typeof createFormPostRelay>;

export interface FormPostRelayDeps {
  readonly artifacts: ArtifactStore;
  /** What a provider says of a person is not for whoever reads a copy of the store (S79). */
  readonly cipher: Pick<SecretCipher, 'encrypt' | 'open'>;
  /** At least 128 random bits. */
  readonly newId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const kind = 'PostedReply';
const label = 'posted reply';
const waitSeconds = 60;
/** Of one source within a minute; each has up to half a mebibyte. */
const mostOfSource = 120;

export function createFormPostRelay({ artifacts, cipher, newId, now }: FormPostRelayDeps) {
  return {
    /**
     * @param source  the client address, for the limit on how much one of them may leave here
     * @returns a ticket for one use within a minute; undefined when this source has left too many
     */
    async store({ providerId, parameters }: RelayedForm, source: string): Promise<string | undefined> {
      const { count } = await artifacts.count(`${kind}Source`, source, waitSeconds);
      if (count > mostOfSource) return undefined;
      const ticket = newId();
      await artifacts.put(kind, ticket, {
        payload: { providerId, sealed: cipher.encrypt(JSON.stringify([...parameters]), label) },
        expiresAt: Math.floor(now() / 1000) + waitSeconds,
      });
      return ticket;
    },
    /** @returns undefined when there is none of this ticket, or it was for another provider */
    async take(ticket: string, providerId: string): Promise<RelayedForm['parameters'] | undefined> {
      const found = await artifacts.get(kind, ticket);
      if (found?.payload.providerId !== providerId || !(await artifacts.consume(kind, ticket)))
        return undefined;
      await artifacts.remove(kind, ticket);
      return new Map(JSON.parse(cipher.open(String(found.payload.sealed), label)) as [string, string][]);
    },
  };
}
