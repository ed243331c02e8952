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

/** @param origins  asked on each request, so that a registration takes effect at once */
export function createCors({ origins }: { readonly origins: () => ReadonlySet<string> }) {
  return {
    /** Adds the response fields. @returns true when the request was a preflight and has been answered */
    apply(req: IncomingMessage, res: ServerResponse): boolean {
      const { origin } = req.headers;
      if (origin === undefined) return false;
      const isKnown = origins().has(origin);
      res.setHeader('Vary', 'Origin');
      if (isKnown) res.setHeader('Access-Control-Allow-Origin', origin);
      if (req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined) {
        res.writeHead(204, isKnown ? permissions : {}).end();
        return true;
      }
      if (isKnown) res.setHeader('Access-Control-Expose-Headers', exposedHeaders);
      return false;
    },
  };
}

const permissions = {
  'Access-Control-Allow-Methods': allowedMethods,
  'Access-Control-Allow-Headers': allowedHeaders,
  'Access-Control-Max-Age': preflightMaxAge,
};
