import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Cross-origin access for the pages of registered applications and nobody else (S23): the origin is
 * looked up, never reflected, and credentials are never allowed.
 */
export type Cors = ReturnType<typeof createCors>;

const allowedMethods = 'GET, HEAD, POST, PUT, DELETE';
const allowedHeaders = 'Authorization, Content-Type, DPoP';
const exposedHeaders = 'WWW-Authenticate, X-Request-Id, Retry-After';
/** Seconds for which a browser need not ask again. */
const preflightMaxAge = '600';

export interface CorsDeps {
  /** Asked on each request, so that a registration takes effect at once; whoever cannot tell now, denies. */
  readonly isKnown: (origin: string) => boolean | Promise<boolean>;
}

export function createCors({ isKnown }: CorsDeps) {
  return {
    /**
     * Adds the response fields.
     *
     * @returns true when the request was a preflight and has been answered; at once where that is known
     */
    apply(req: IncomingMessage, res: ServerResponse): boolean | Promise<boolean> {
      const { origin } = req.headers;
      if (origin === undefined) return false;
      res.setHeader('Vary', 'Origin');
      const known = isKnown(origin);
      return typeof known === 'boolean'
        ? answer(req, res, known ? origin : undefined)
        : known.then((found) => answer(req, res, found ? origin : undefined));
    },
  };
}

/** @param origin  undefined for one that may not call */
function answer(req: IncomingMessage, res: ServerResponse, origin: string | undefined): boolean {
  if (origin !== undefined) res.setHeader('Access-Control-Allow-Origin', origin);
  if (req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined) {
    res.writeHead(204, origin === undefined ? {} : permissions).end();
    return true;
  }
  if (origin !== undefined) res.setHeader('Access-Control-Expose-Headers', exposedHeaders);
  return false;
}

const permissions = {
  'Access-Control-Allow-Methods': allowedMethods,
  'Access-Control-Allow-Headers': allowedHeaders,
  'Access-Control-Max-Age': preflightMaxAge,
};
