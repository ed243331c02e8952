/**
 * How this process itself reaches the console. Browsers use the issuer's address; a server may have to
 * use another one (a container's name, say), and the key set address tells which (docs/surface.md#dashboard-settings).
 */
export type ConsoleFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface ConsoleFetchOptions {
  readonly issuer: string;
  readonly jwksUri: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
}

export function createConsoleFetch({ issuer, jwksUri, fetch, timeoutMs }: ConsoleFetchOptions): ConsoleFetch {
  const server = new URL(jwksUri).origin;
  const publicOrigin = new URL(issuer).origin;

  return (url, init = {}) => {
    const target = new URL(url);
    const address = target.origin === publicOrigin ? server + target.pathname + target.search : target.href;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    // A redirect would take a bearer token to wherever it points.
    return fetch(address, { ...init, redirect: init.redirect ?? 'error', signal });
  };
}
