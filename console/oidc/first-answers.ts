/**
 * What a code or refresh token was exchanged for, kept for some seconds beside it: a caller who has lost the
 * reply repeats the request and gets the same answer again, instead of being signed out for reuse (S95).
 */
import { createHash, hkdfSync } from 'node:crypto';
import { decodeJwt } from 'jose';
import { createCipher } from '../keys/encryption.ts';
import type { ArtifactName, ArtifactStore, Exchange } from '../storage/storage.ts';
import type { TokenUses } from '../tokens/token-uses.ts';

/** The body of a token reply (RFC 6749 §5.1). */
export interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token?: string;
}

/** What has to be the same in a repetition, beside what the exchange itself checks. */
export interface ExchangeRequest {
  /** Of the key that has proved the request (RFC 7638). */
  readonly keyThumbprint: string | undefined;
  readonly scope: unknown;
  readonly resource: unknown;
}

export interface FirstAnswer {
  readonly answer: TokenAnswer;
  isTo(request: ExchangeRequest): boolean;
}

export type FirstAnswers = ReturnType<typeof createFirstAnswers>;

export interface FirstAnswersDeps {
  readonly artifacts: ArtifactStore;
  readonly tokenUses: TokenUses;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export const repeatSeconds = 10;
const kind = 'FirstAnswer';

export function createFirstAnswers({ artifacts, tokenUses, now }: FirstAnswersDeps) {
  return {
    /** To be put in the commit that uses `source` up. */
    record: (
      source: ArtifactName,
      answer: TokenAnswer,
      request: ExchangeRequest,
    ): NonNullable<Exchange['put']>[number] => ({
      kind,
      id: idOf(source),
      artifact: {
        payload: {
          sealed: cipherOf(source).encrypt(JSON.stringify(answer), kind),
          request: digestOf(request),
          at: now(),
        },
        expiresAt: now() / 1000 + repeatSeconds,
      },
    }),
    /** The exchange has been committed. */
    async recordIssued(source: ArtifactName, answer: TokenAnswer) {
      const jti = source.kind === 'AuthorizationCode' && idOfToken(answer.access_token);
      if (jti) await tokenUses.watch(jti);
    },
    /** @returns nothing when it is too late, or its successor has been used: then it is reuse (S19) */
    async find(source: ArtifactName): Promise<FirstAnswer | undefined> {
      const stored = await artifacts.get(kind, idOf(source));
      // A clock that was put back must not make the time longer.
      if (!stored || now() < Number(stored.payload.at)) return undefined;
      const answer = JSON.parse(cipherOf(source).open(String(stored.payload.sealed), kind)) as TokenAnswer;
      if (await isSuccessorUsed(source, answer)) return undefined;
      return { answer, isTo: (request) => digestOf(request) === stored.payload.request };
    },
  };

  /** Refresh tokens come in a chain; of several tabs that refresh at once, each may use its access token. */
  async function isSuccessorUsed({ kind: sourceKind }: ArtifactName, answer: TokenAnswer): Promise<boolean> {
    const jti = idOfToken(answer.access_token);
    if (sourceKind === 'AuthorizationCode' && jti !== undefined && (await tokenUses.wasUsed(jti)))
      return true;
    if (answer.refresh_token === undefined) return false;
    const successor = await artifacts.get('RefreshToken', answer.refresh_token);
    return successor?.consumedAt !== undefined || !successor;
  }
}

function idOf({ kind: sourceKind, id }: ArtifactName): string {
  return `${sourceKind} ${id}`;
}

/**
 * The store knows no more of a code or refresh token than its digest, so a key that is made of the token
 * itself opens the answer to who presents it, and to nobody who has got hold of the store (S79).
 */
function cipherOf({ kind: sourceKind, id }: ArtifactName) {
  return createCipher(Buffer.from(hkdfSync('sha256', id, '', `${kind} of ${sourceKind}`, 32)));
}

function digestOf({ keyThumbprint, scope, resource }: ExchangeRequest): string {
  const text = JSON.stringify([keyThumbprint ?? null, scope ?? null, resource ?? null]);
  return createHash('sha256').update(text).digest('base64url');
}

/** Opaque tokens have none, and are not watched. */
function idOfToken(accessToken: string): string | undefined {
  try {
    return decodeJwt(accessToken).jti;
  } catch {
    return undefined;
  }
}
