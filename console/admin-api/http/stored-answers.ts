/**
 * Repeated calls: who sends the same `Idempotency-Key` again gets the answer of the first time, and nothing is made
 * twice (draft-ietf-httpapi-idempotency-key-header). Kept in the store by the commit that makes what it tells of, so
 * that after a crash neither is there without the other; of a job or a plan, before the answer goes out.
 *
 * The store has only digests of the key, and the answer under a key derived from it: what is shown once, such as a
 * secret, is seen again by its caller alone (S54).
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { Answer } from '../../operations/operation.ts';
import type { AnswerOnce, Performance } from '../../operations/run-operation.ts';
import type { ArtifactStore } from '../../storage/storage.ts';
import type { RunningCalls } from './running-calls.ts';

export interface StoredAnswersDeps {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put'>;
  readonly runningCalls: RunningCalls;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const storedSeconds = 86_400;
const kind = 'ApiAnswer';

/** @throws {ProblemError} `invalid_request` for one that is too short to be nobody else's, or no plain text */
export function readIdempotencyKey(field: string | string[] | undefined): string | undefined {
  if (field === undefined) return undefined;
  if (typeof field === 'string' && /^[\x21-\x7e]{16,255}$/.test(field)) return field;
  throw new ProblemError(
    problems.invalidRequest,
    'An Idempotency-Key has 16 to 255 characters: letters, digits and signs, without spaces.',
  );
}

export function createStoredAnswers({ artifacts, runningCalls, now }: StoredAnswersDeps): AnswerOnce {
  return async ({ key, actor, asked }, performance) => {
    const id = `${actor} ${key}`;
    const keys = keysFrom(key, actor);
    const digest = createHmac('sha256', keys.digest).update(JSON.stringify(asked)).digest('base64url');
    const stored = () => storedAnswer(id, digest, keys.answer);
    const earlier = await stored();
    if (earlier) return earlier;
    const isFirst = await runningCalls.begin(id);
    try {
      // Who came between the two lines above may have come to an end, too.
      const meanwhile = await stored();
      if (meanwhile) return meanwhile;
      if (!isFirst) throw inProgress();
      return await performAndStore(id, { digest, key: keys.answer }, performance);
    } catch (error) {
      // A commit that was cut off, of which nobody knew whether it was made, is made by now: it stands in its own way.
      const made = error instanceof ProblemError ? await stored() : undefined;
      if (made) return made;
      throw error;
    } finally {
      if (isFirst) await end(id);
    }
  };

  /** Where nobody hears it, nobody remembers that it began. */
  async function end(id: string): Promise<void> {
    try {
      await runningCalls.end(id);
    } catch {
      // The process that remembers has gone.
    }
  }

  async function storedAnswer(id: string, digest: string, key: Buffer): Promise<Answer | undefined> {
    const payload = (await artifacts.get(kind, id))?.payload;
    if (!payload) return undefined;
    if (payload.digest !== digest) throw mismatch();
    const { headers, ...answer } = JSON.parse(decrypted(String(payload.answer), key)) as Answer;
    return { ...answer, headers: { ...headers, 'Idempotency-Replayed': 'true' }, isUnchanged: true };
  }

  async function performAndStore(
    id: string,
    { digest, key }: { readonly digest: string; readonly key: Buffer },
    performance: Performance,
  ): Promise<Answer> {
    const stored = (answer: Answer) => {
      const payload = { digest, answer: encrypted(JSON.stringify(answer), key) };
      const expiresAt = Math.floor(now() / 1000) + storedSeconds;
      return { kind, id, artifact: { payload, expiresAt } };
    };
    const together = await performance.withAnswer?.(stored);
    if (together) return together;
    const answer = await performance.alone();
    await artifacts.put(kind, id, stored(answer).artifact);
    return answer;
  }
}

/** RFC 5869; the caller is in it, so that another one's answer cannot be read by the same words. */
function keysFrom(key: string, actor: string) {
  const derived = Buffer.from(hkdfSync('sha256', key, actor, 'api answer', 64));
  return { answer: derived.subarray(0, 32), digest: derived.subarray(32) };
}

function encrypted(text: string, key: Buffer): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), bytes]).toString('base64url');
}

function decrypted(text: string, key: Buffer): string {
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}

function mismatch(): ProblemError {
  return new ProblemError(
    problems.idempotencyMismatch,
    'This Idempotency-Key came before with another request: each needs a key of its own.',
  );
}

function inProgress(): ProblemError {
  return new ProblemError(
    problems.idempotencyInProgress,
    'The call of this Idempotency-Key is under way: ask again for its answer.',
    { headers: { 'Retry-After': '1' } },
  );
}
