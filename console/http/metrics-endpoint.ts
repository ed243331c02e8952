import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError, problems } from '../errors.ts';
import type { Role } from '../storage/records.ts';
import { isLoopbackAddress, isLoopbackHost } from './loopback.ts';
import type { Metrics } from './metrics.ts';

export interface MetricsEndpointDeps {
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /**
   * @param provenBy  given for the scheme `DPoP`: the request, with its proof
   * @throws {ProblemError} `invalid_token`, `invalid_dpop_proof`, `too_many_requests`, `busy`
   */
  readonly checkToken: (
    token: string,
    provenBy?: IncomingMessage,
  ) => { readonly roles: readonly string[] } | Promise<{ readonly roles: readonly string[] }>;
}

/** A custom role opens calls to the members and nothing of the console. */
const readers: readonly Role[] = ['Admin', 'Viewer', 'MetricsViewer'];

/**
 * `/metrics`. Numbers tell about use: they are for this machine itself, or for a token with a built-in role (S49).
 *
 * @throws {ProblemError} `unauthorized`, `invalid_token`, `invalid_dpop_proof`, `insufficient_scope`
 */
export function createMetricsEndpoint({ metrics, checkToken }: MetricsEndpointDeps) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (!isFromThisMachine(req)) await checkRole(req, checkToken);
    const body = await metrics.text();
    res.writeHead(200, {
      'Content-Type': metrics.contentType,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
    });
    res.end(body);
  };
}

async function checkRole(req: IncomingMessage, checkToken: MetricsEndpointDeps['checkToken']): Promise<void> {
  const [, scheme, token] = /^(Bearer|DPoP) +(\S+)$/i.exec(req.headers.authorization ?? '') ?? [];
  if (!scheme || !token) throw needed(problems.unauthorized, 'Bearer');
  const { roles } = await (scheme.toLowerCase() === 'dpop' ? checkToken(token, req) : checkToken(token));
  if (!readers.some((role) => roles.includes(role))) {
    throw needed(problems.insufficientScope, 'Bearer error="insufficient_scope", scope="app:MetricsViewer"');
  }
}

function needed(problem: typeof problems.unauthorized, challenge: string): ProblemError {
  return new ProblemError(problem, 'Metrics need an access token with a role.', {
    headers: { 'WWW-Authenticate': challenge },
  });
}

/** What a proxy adds when it asks for somebody else. */
const traces = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'];

/**
 * A peer on loopback that is no proxy. It also names this machine: a page in a browser here whose
 * own name has been pointed at loopback does not, nor does a proxy that passes the public name on.
 */
function isFromThisMachine(req: IncomingMessage): boolean {
  return (
    isLoopbackAddress(req.socket.remoteAddress ?? '') &&
    isLoopbackHost(req.headers.host ?? '') &&
    traces.every((field) => req.headers[field] === undefined)
  );
}
