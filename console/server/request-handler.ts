/**
 * The request chain. Hot paths (member surface, token endpoint, probes, key set) are answered on
 * node:http's own objects; everything a browser visits goes on to the pages.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { OAuthError } from '../../platform/errors.ts';
import type { Audit, Logger } from '../../platform/log.ts';
import type { Cors } from '../http/cors.ts';
import { toProblem } from '../http/error-responses.ts';
import { checkRequestHead } from '../http/request-head.ts';
import { assignRequestId, requestIdOf } from '../http/request-id.ts';
import { asOAuthError, sendOAuthError, sendProblem } from '../http/send.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { StorageUnavailableError } from '../storage/storage.ts';

export interface AppDeps {
  readonly newRequestId: () => string;
  readonly cors: Cors;
  /** The member surface, below `/svc/`, `/hazelcast/` and `/members/`. */
  readonly members: RequestListener;
  /** Endpoints that answer OAuth errors, by path; `true` hands the request on to the pages. */
  readonly oauth: ReadonlyMap<string, (req: IncomingMessage, res: ServerResponse) => Promise<boolean>>;
  /** Endpoints that answer problem details, by path. */
  readonly endpoints: ReadonlyMap<string, (req: IncomingMessage, res: ServerResponse) => unknown>;
  /** The admin API, below `/api/v1/`; answers problem details. */
  readonly api: (req: IncomingMessage, res: ServerResponse) => Promise<void>;
  readonly pages: RequestListener;
  readonly metrics: Pick<Metrics, 'request' | 'tokenRejected'>;
  readonly audit: Audit;
  readonly clientAddress: (req: IncomingMessage) => string;
  /** Hears of each request but those for members. */
  readonly onRequest?: ((req: IncomingMessage, res: ServerResponse, requestId: string) => void) | undefined;
  readonly log: Logger;
}

/** Paths that pages of registered applications may call from another origin. */
const crossOriginPaths = new Set([
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/oauth2/jwks',
  '/oauth2/token',
  '/oauth2/revoke',
  '/userinfo',
]);

export function createApp(deps: AppDeps): RequestListener {
  const { newRequestId, cors, members, oauth, endpoints, api, pages, metrics, audit, clientAddress, log } =
    deps;

  return function handle(req, res) {
    const requestId = assignRequestId(req, newRequestId());
    try {
      route(req, res, requestId);
    } catch (thrown) {
      sendError(req, res, thrown);
    }
  };

  function route(req: IncomingMessage, res: ServerResponse, requestId: string): void {
    const path = pathOf(req.url ?? '');
    if (isOfMembers(path)) {
      // A member's reply gets its id from the proxy, which also checks the head; a preflight never reaches it.
      if (req.method === 'OPTIONS') {
        res.setHeader('X-Request-Id', requestId);
        if (!isHeadGood(req, res)) return;
      }
      crossOrigin(req, res, () => members(req, res));
      return;
    }
    res.setHeader('X-Request-Id', requestId);
    res.once('finish', () => metrics.request(surfaceOf(path), res.statusCode));
    deps.onRequest?.(req, res, requestId);
    if (!isHeadGood(req, res)) return;
    if (crossOriginPaths.has(path)) crossOrigin(req, res, () => serve(req, res, path));
    else serve(req, res, path);
  }

  /** @param go  for what was no preflight */
  function crossOrigin(req: IncomingMessage, res: ServerResponse, go: () => void): void {
    const isAnswered = req.headers.origin !== undefined && cors.apply(req, res);
    if (isAnswered === false) go();
    else if (isAnswered !== true) {
      isAnswered
        .then((isDone) => {
          if (!isDone) go();
        })
        .catch((thrown: unknown) => sendError(req, res, thrown));
    }
  }

  function serve(req: IncomingMessage, res: ServerResponse, path: string): void {
    const oauthEndpoint = oauth.get(path);
    if (oauthEndpoint) return void answerOAuth(oauthEndpoint, req, res, path);
    const endpoint = endpoints.get(path) ?? (path.startsWith('/api/v1/') ? api : undefined);
    if (endpoint) return void answer(endpoint, req, res);
    pages(req, res);
  }

  /** What is wrong with it may be meant to deceive, so it is on record whatever was asked for. */
  function isHeadGood(req: IncomingMessage, res: ServerResponse): boolean {
    try {
      checkRequestHead(req);
      return true;
    } catch (thrown) {
      sendError(req, res, thrown, true);
      return false;
    }
  }

  async function answerOAuth(
    endpoint: (req: IncomingMessage, res: ServerResponse) => Promise<boolean>,
    req: IncomingMessage,
    res: ServerResponse,
    path: string,
  ): Promise<void> {
    try {
      if (await endpoint(req, res)) pages(req, res);
    } catch (thrown) {
      const error = oauthErrorOf(thrown);
      if (error.status === 500) log.error({ err: thrown, requestId: requestIdOf(req) }, 'request failed');
      if (path === '/oauth2/token') metrics.tokenRejected(error.code);
      audit(path === '/oauth2/token' ? 'token.refused' : 'request.refused', {
        outcome: error.status >= 500 ? 'failure' : 'denied',
        path,
        reason: error.code,
        source: clientAddress(req),
        requestId: requestIdOf(req),
        ...error.audited,
      });
      if (res.headersSent) res.destroy();
      else sendOAuthError(res, error);
    }
  }

  async function answer(
    endpoint: (req: IncomingMessage, res: ServerResponse) => unknown,
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<void> {
    try {
      await endpoint(req, res);
    } catch (thrown) {
      sendError(req, res, thrown);
    }
  }

  function sendError(req: IncomingMessage, res: ServerResponse, thrown: unknown, isAudited = false): void {
    const requestId = requestIdOf(req);
    const problemError = toProblem(thrown);
    if (problemError.problem.status === 500) log.error({ err: thrown, requestId }, 'request failed');
    if (isAudited || problemError.problem.status === 401 || problemError.problem.status === 403) {
      audit('request.refused', {
        outcome: 'denied',
        method: req.method,
        path: pathOf(req.url ?? ''),
        reason: problemError.problem.code,
        actor: problemError.actor,
        source: clientAddress(req),
        requestId,
      });
    }
    if (res.headersSent) res.destroy();
    else sendProblem(res, problemError, requestId);
  }
}

function oauthErrorOf(thrown: unknown): OAuthError {
  if (thrown instanceof StorageUnavailableError) {
    return new OAuthError('temporarily_unavailable', 'the store cannot be written', {
      cause: thrown,
      headers: { 'Retry-After': '5' },
    });
  }
  return asOAuthError(thrown);
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** The second spelling is that of scripts which exist (docs/surface.md#addresses). */
function isOfMembers(path: string): boolean {
  return path.startsWith('/svc/') || path.startsWith('/members/') || path.startsWith('/hazelcast/');
}

/** A label with few values, for metrics. */
function surfaceOf(path: string): string {
  if (path.startsWith('/oauth2/') || path.startsWith('/.well-known/') || path === '/userinfo') return 'oauth';
  if (path === '/live' || path === '/ready' || path === '/metrics') return 'operations';
  return path.startsWith('/api/') ? 'api' : 'pages';
}
