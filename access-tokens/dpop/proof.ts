/** Proofs of possession: that who sends a request holds a certain private key (RFC 9449 §4). */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { invalidProof, noRoomForProofs, proofsUnanswered, tooManyProofs } from './errors.ts';
import { type ProofKey, readProofKey } from './proof-key.ts';
import {
  createReplays,
  type ReplayLimits,
  type ReplayOutcome,
  type Replays,
  type UsedProof,
} from './replays.ts';
import { isSameTarget } from './target.ts';

/** What a proof has to fit, and the proof in `headers.dpop`, where several fields stand with commas between them. */
export type ProvenRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Its key by SHA-256 thumbprint, base64url (RFC 7638), and its `jti`. */
export type Proof = UsedProof;

export type ProofCheck = ReturnType<typeof createProofCheck>;

/** Where used proofs are remembered: here, or in a process that several ask. */
export interface ProofMemory {
  /** See {@link Replays.add}. @throws {Error} when there is no answer */
  add(proof: Proof, caller: string): ReplayOutcome | Promise<ReplayOutcome>;
}

export interface ProofCheckDeps {
  /** Scheme, host and port at which callers reach this process, whatever `Host` says. */
  readonly origin: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly memory: ProofMemory;
}

/**
 * Seconds that a proof counts: long enough for a clock that is a little slow and a request that travels
 * slowly; and ahead the ten seconds that FAPI 2.0 §5.3.2.1 wants taken for clocks that differ, and no more, since a
 * proof that was made in advance can be used by somebody who had the key for a moment only.
 */
const proofWindow = { back: 60, ahead: 10 } as const;

/** For so long a proof may be used a second time. */
export const longestProofSeconds = proofWindow.back + proofWindow.ahead;

const defaultReplays: ReplayLimits = {
  windowMs: longestProofSeconds * 1000,
  perCaller: 100_000,
  total: 300_000,
};
/** Characters. A proof with a 4096-bit key and a long path has half of it. */
const longestProof = 8192;
const longestJti = 128;
/** Keys that need not be read and imported again. */
const mostKeys = 1000;
const form = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** A memory in this process. @param limits  what differs from those for callers of the members */
export function createProofMemory(limits: Partial<ReplayLimits> = {}): Replays {
  return createReplays({ ...defaultReplays, ...limits }, () => performance.now());
}

export function createProofCheck({ origin, now, memory }: ProofCheckDeps) {
  /** By the header that brought them, which is the same in every proof of a client. */
  const keys = new Map<string, ProofKey>();

  return {
    /**
     * Checks the proof of a request (RFC 9449 §4.3), all but whether it came before.
     *
     * @param accessToken  the token that came with it, or nothing where one is asked for
     * @throws {ProblemError} `invalid_dpop_proof`
     */
    verify(request: ProvenRequest, accessToken?: string): Proof {
      const [header, payload, signature] = takeApart(request.headers.dpop);
      const key = keys.get(header) ?? readProofKey(parse(header));
      if (!key.hasSigned(`${header}.${payload}`, Buffer.from(signature, 'base64url'))) {
        throw invalidProof('The signature of the DPoP proof does not hold');
      }
      remember(header, key);
      return { thumbprint: key.thumbprint, jti: readClaims(parse(payload), request, accessToken) };
    },
    /**
     * Lets each proof pass once. Comes last, so that only proofs that count take up memory.
     *
     * @param caller  who has sent it, as far as that is proven: a subject, or a client
     * @throws {ProblemError} `invalid_dpop_proof` for a proof that came before, `too_many_requests`, `busy`
     */
    async useOnce(proof: Proof, caller: string) {
      switch (await outcomeOf(proof, caller)) {
        case 'first':
          return;
        case 'used':
          throw invalidProof(
            'The DPoP proof was used before: make a new one, with a new jti, for each request',
          );
        case 'callerFull':
          throw tooManyProofs();
        case 'full':
          throw noRoomForProofs();
      }
    },
  };

  async function outcomeOf(proof: Proof, caller: string): Promise<ReplayOutcome> {
    try {
      return await memory.add(proof, caller);
    } catch (cause) {
      throw proofsUnanswered(cause);
    }
  }

  function remember(header: string, key: ProofKey): void {
    if (keys.has(header)) return;
    if (keys.size >= mostKeys) keys.delete(keys.keys().next().value!);
    keys.set(header, key);
  }

  /** @returns the `jti` */
  function readClaims(
    { htm, htu, iat, jti, ath, nonce }: Readonly<Record<string, unknown>>,
    { method, url = '' }: ProvenRequest,
    accessToken: string | undefined,
  ): string {
    if (htm !== method) throw invalidProof('The htm of the DPoP proof is not the method of the request');
    const called = origin + url.split('?', 1)[0]!;
    if (typeof htu !== 'string' || !isSameTarget(htu, called)) {
      throw invalidProof(`The htu of the DPoP proof is not the address of the request, below ${origin}`);
    }
    checkAge(iat);
    if (typeof jti !== 'string' || jti === '' || jti.length > longestJti) {
      throw invalidProof(`The jti of the DPoP proof is not a text of 1 to ${longestJti} characters`);
    }
    if (nonce !== undefined) throw invalidProof('The DPoP proof has a nonce, and none was given out here');
    if (accessToken !== undefined && ath !== digestOf(accessToken)) {
      throw invalidProof('The ath of the DPoP proof is not the digest of the access token');
    }
    return jti;
  }

  function checkAge(iat: unknown): void {
    const age = typeof iat === 'number' ? now() / 1000 - iat : Number.NaN;
    if (age <= proofWindow.back && age >= -proofWindow.ahead) return;
    throw invalidProof(
      `The iat of the DPoP proof is more than ${proofWindow.back} s old or ${proofWindow.ahead} s ahead; the Date field tells the time here`,
    );
  }
}

/** Exactly one proof (RFC 9449 §4.3, check 1). */
function takeApart(field: string | readonly string[] | undefined): readonly [string, string, string] {
  if (field === undefined) throw invalidProof('The DPoP field with the proof is missing');
  if (typeof field !== 'string' || field.includes(','))
    throw invalidProof('There is more than one DPoP proof');
  if (field.length > longestProof)
    throw invalidProof(`The DPoP proof is longer than ${longestProof} characters`);
  if (!form.test(field)) throw invalidProof('The DPoP proof is not a signed JWT');
  return field.split('.') as [string, string, string];
}

function parse(part: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch (cause) {
    throw invalidProof('The DPoP proof is not a signed JWT', cause);
  }
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  throw invalidProof('The DPoP proof is not a signed JWT');
}

function digestOf(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest('base64url');
}
