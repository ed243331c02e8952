/** JSON for machines: an access token as bearer (docs/surface.md#access-tokens), and nothing but that. */
import type { Context } from 'koa';
import { ProblemError } from '../../platform/errors.ts';
import { problems } from '../errors.ts';
import type { Caller, CheckAccessToken } from '../identity/access-tokens.ts';
import { InvalidTokenError } from '../identity/signed-tokens.ts';
import type { Licences } from '../licences.ts';
import { type Cluster, type Reading, TokenRejectedError } from '../metrics/cluster.ts';

export interface ApiDeps {
  readonly checkAccessToken: CheckAccessToken;
  readonly cluster: Cluster;
  readonly licences: Pick<Licences, 'current'>;
  readonly queues: readonly string[];
}

export function createApi({ checkAccessToken, cluster, licences, queues }: ApiDeps) {
  return {
    /** `GET /api/v1/me` */
    async me(ctx: Context): Promise<void> {
      const { caller } = await authenticate(ctx);
      send(ctx, caller);
    },
    /** `GET /api/v1/metrics`: each part with its value, or with why the token does not open it. */
    async metrics(ctx: Context): Promise<void> {
      const { token } = await authenticate(ctx);
      const [facts, health, sizes] = await Promise.all([
        cluster.readFacts(token),
        cluster.readHealth(token),
        Promise.all(queues.map((queue) => cluster.readQueueSize(token, queue))),
      ]).catch(rejectRevoked);
      send(ctx, {
        cluster: part(facts),
        health: part(health),
        queues: Object.fromEntries(queues.map((queue, index) => [queue, part(sizes[index]!)])),
      });
    },
    /** `GET /api/v1/licence` */
    async licence(ctx: Context): Promise<void> {
      await authenticate(ctx);
      const licence = licences.current();
      if (!licence) throw new ProblemError(problems.notFound, 'The console has sent no licence yet.');
      send(ctx, licence);
    },
  };

  /** One `Authorization` field with one bearer token; not in the query, not in a cookie (RFC 6750 §2, S61). */
  async function authenticate(ctx: Context): Promise<{ readonly token: string; readonly caller: Caller }> {
    const fields = ctx.req.headersDistinct.authorization ?? [];
    if (fields.length === 0) {
      throw new ProblemError(
        problems.unauthorized,
        'Send an access token as "Authorization: Bearer <token>".',
        challenge(),
      );
    }
    const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(fields[0]!)?.[1];
    if (fields.length > 1 || token === undefined) {
      throw new ProblemError(
        problems.invalidRequest,
        'One Authorization field with one bearer token is needed.',
        challenge('invalid_request'),
      );
    }
    try {
      return { token, caller: await checkAccessToken(token) };
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      throw new ProblemError(problems.invalidToken, `The access token is refused: ${error.message}.`, {
        ...challenge('invalid_token'),
        cause: error,
      });
    }
  }
}

function part<T>(reading: Reading<T>) {
  return 'value' in reading ? reading.value : { refused: reading.denial };
}

function send(ctx: Context, body: object): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.body = body;
}

/** The signature holds, but the console has revoked it. */
function rejectRevoked(error: unknown): never {
  if (!(error instanceof TokenRejectedError)) throw error;
  throw new ProblemError(
    problems.invalidToken,
    'The console does not accept the access token any more.',
    challenge('invalid_token'),
  );
}

function challenge(error?: string) {
  return { headers: { 'WWW-Authenticate': error ? `Bearer error="${error}"` : 'Bearer' } };
}
