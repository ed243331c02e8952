/**
 * Addresses that programs call: exact paths, on node:http's own objects. A guard takes what stands behind it in the route
 * line; the line becomes one function at the start, so a call pays for no list.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError, problems } from '../../platform/errors.ts';

export type Endpoint = (req: IncomingMessage, res: ServerResponse) => unknown;

/** @returns true when the request, prepared, is for the pages */
export type OAuthEndpoint = (req: IncomingMessage, res: ServerResponse) => Promise<boolean>;

export interface EndpointRouter {
  /** Takes every method. What is thrown is answered as problem details. */
  all(path: string, endpoint: Endpoint): void;
  all<Inner>(path: string, guard: (inner: Inner) => Endpoint, inner: Inner): void;
  /** The same, for GET and HEAD alone. */
  get(path: string, endpoint: Endpoint): void;
  /** Takes every method. What is thrown is answered as an OAuth error. */
  oauth(path: string, endpoint: OAuthEndpoint): void;
  oauth<Inner>(path: string, guard: (inner: Inner) => OAuthEndpoint, inner: Inner): void;
  oauth<Next, Inner>(
    path: string,
    guard: (inner: Next) => OAuthEndpoint,
    next: (inner: Inner) => Next,
    inner: Inner,
  ): void;
}

export interface Endpoints extends EndpointRouter {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly oauthEndpoints: ReadonlyMap<string, OAuthEndpoint>;
}

type AnyGuard = (inner: unknown) => unknown;

export function createEndpoints(): Endpoints {
  const endpoints = new Map<string, Endpoint>();
  const oauthEndpoints = new Map<string, OAuthEndpoint>();
  return {
    endpoints,
    oauthEndpoints,
    all: (path: string, ...line: unknown[]) => void endpoints.set(path, composed(line) as Endpoint),
    get: (path, endpoint) => void endpoints.set(path, reading(endpoint)),
    oauth: (path: string, ...line: unknown[]) =>
      void oauthEndpoints.set(path, composed(line) as OAuthEndpoint),
  };
}

/** The first guard is the outermost. */
function composed(line: readonly unknown[]): unknown {
  return line.slice(0, -1).reduceRight((inner, guard) => (guard as AnyGuard)(inner), line.at(-1));
}

function reading(endpoint: Endpoint): Endpoint {
  return (req, res) => {
    if (req.method === 'GET' || req.method === 'HEAD') return endpoint(req, res);
    throw new ProblemError(problems.methodNotAllowed, 'Use GET.', { headers: { Allow: 'GET, HEAD' } });
  };
}
