/**
 * A token exchange as one commit (S95): the library uses a code or refresh token up before it makes what
 * replaces it, so what it writes on the way is held back until its answer is complete.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from 'koa';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import {
  type Artifact,
  type ArtifactName,
  type ArtifactStore,
  type Exchange,
  StorageUnavailableError,
} from '../storage/storage.ts';
import { type BoundReads, createBoundReads } from './bound-reads.ts';
import type { ExchangeRequest, FirstAnswer, FirstAnswers, TokenAnswer } from './first-answers.ts';
import { storageError } from './storage-errors.ts';

/** What one request has done so far. */
export interface PendingExchange {
  /** The code or refresh token that was found. */
  readonly source: Source | undefined;
  readonly isUsedUp: boolean;
  readonly reads: BoundReads;
  /**
   * The library is about to look at a code or refresh token.
   *
   * @returns whether it is to take it for unused, because the request may be a repetition
   */
  find(name: ArtifactName, artifact: Artifact): Promise<boolean>;
  /** Instead of writing it. */
  useUp(): void;
  /** Instead of writing it. */
  put(name: ArtifactName, artifact: Omit<Artifact, 'consumedAt'>): void;
  /** Something to tell of once it is true. */
  onDone(report: () => void): void;
}

interface Source extends ArtifactName {
  readonly artifact: Artifact;
}

export type Exchanges = ReturnType<typeof createExchanges>;

export interface ExchangesDeps {
  readonly artifacts: Pick<ArtifactStore, 'exchange' | 'get' | 'getBound'>;
  readonly firstAnswers: FirstAnswers;
  readonly revokeGrant: (grantId: string) => Promise<void>;
  readonly onRepeated: (ctx: KoaContextWithOIDC) => void;
  readonly onRejected: (ctx: KoaContextWithOIDC, error: Error) => void;
}

/** A store that cannot be written, seconds. */
const retryLater = { 'Retry-After': '5' };

export function createExchanges(deps: ExchangesDeps) {
  const { artifacts, firstAnswers, revokeGrant, onRepeated, onRejected } = deps;
  const pendingExchange = new AsyncLocalStorage<Pending>();

  return {
    /** Of the request under way, if it is one to the token endpoint. */
    current: (): PendingExchange | undefined => pendingExchange.getStore(),
    /** Runs the library, then commits what it has answered. */
    async run(ctx: Context, library: () => Promise<unknown>) {
      const pending = createPending(firstAnswers, createBoundReads(artifacts));
      await pendingExchange.run(pending, library);
      if (ctx.status === 503) ctx.set(retryLater);
      // Refused, and nothing has been written; or a grant that uses nothing up.
      if (ctx.status !== 200 || !pending.source || !pending.isUsedUp) {
        if (ctx.status === 200) pending.done();
        return;
      }
      const provided = ctx as unknown as KoaContextWithOIDC;
      try {
        await finish(provided, pending, pending.source);
      } catch (cause) {
        const error = cause instanceof StorageUnavailableError ? storageError(cause) : cause;
        if (!(error instanceof errors.OIDCProviderError)) throw error;
        ctx.status = error.statusCode;
        if (ctx.status === 503) ctx.set(retryLater);
        ctx.body = { error: error.error, error_description: error.error_description };
        onRejected(provided, error);
      }
    },
  };

  async function finish(ctx: KoaContextWithOIDC, pending: Pending, source: Source): Promise<void> {
    const request = requestOf(ctx);
    const answer = ctx.body as TokenAnswer;
    if (!pending.earlier) {
      const { grantId } = source.artifact;
      const outcome = await artifacts.exchange({
        consume: source,
        // Ended while this request was under way: nothing may be issued under it any more (S34).
        require: grantId === undefined ? [] : [{ kind: 'Grant', id: grantId }],
        put: [...pending.puts, firstAnswers.record(source, answer, request)],
      });
      if (outcome === 'absent') throw new errors.InvalidGrant('the grant has ended');
      if (outcome === 'won') {
        await firstAnswers.recordIssued(source, answer);
        pending.done();
        return;
      }
    }
    // Somebody was earlier, perhaps a moment ago: what is in `ctx.body` was written nowhere.
    const earlier = pending.earlier ?? (await firstAnswers.find(source));
    if (!earlier?.isTo(request)) throw await reuse(source);
    ctx.body = earlier.answer;
    onRepeated(ctx);
  }

  async function reuse({ artifact }: Source): Promise<Error> {
    if (artifact.grantId !== undefined) await revokeGrant(artifact.grantId);
    return new errors.InvalidGrant('already consumed');
  }
}

interface Pending extends PendingExchange {
  readonly puts: NonNullable<Exchange['put']>;
  readonly earlier: FirstAnswer | undefined;
  done(): void;
}

function createPending(firstAnswers: Pick<FirstAnswers, 'find'>, reads: BoundReads): Pending {
  const puts: NonNullable<Exchange['put']>[number][] = [];
  const listeners: (() => void)[] = [];
  let source: Source | undefined;
  let earlier: FirstAnswer | undefined;
  let isUsedUp = false;

  return {
    get source() {
      return source;
    },
    get isUsedUp() {
      return isUsedUp;
    },
    get earlier() {
      return earlier;
    },
    puts,
    reads,
    async find(name, artifact) {
      source = { ...name, artifact };
      if (artifact.consumedAt === undefined) return false;
      earlier = await firstAnswers.find(name);
      return earlier !== undefined;
    },
    useUp() {
      isUsedUp = true;
    },
    put: (name, artifact) => void puts.push({ ...name, artifact }),
    onDone: (listener) => void listeners.push(listener),
    done() {
      for (const listener of listeners) listener();
    },
  };
}

/** The key is that of the token in the answer: the library has bound it by the proof of this request. */
function requestOf({ oidc }: KoaContextWithOIDC): ExchangeRequest {
  const token = oidc.entities.AccessToken as { readonly jkt?: string } | undefined;
  return { keyThumbprint: token?.jkt, scope: oidc.params?.scope, resource: oidc.params?.resource };
}
