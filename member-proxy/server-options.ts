import type { ServerOptions } from 'node:http';

/** Options of the HTTP server that carries the proxy (S63, S64). */
export const serverOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  /** Whole request, body included; a body that stops arriving is ended much earlier by the proxy. */
  requestTimeout: 300_000,
  keepAliveTimeout: 65_000,
  /** How often the two timeouts are looked after; Node's own half minute would make 10 s up to 40. */
  connectionsCheckingInterval: 1_000,
  insecureHTTPParser: false,
  noDelay: true,
} as const satisfies ServerOptions;

/** Targets of the member surface, for its fast lane. */
export const memberPaths = /^\/(?:svc|hazelcast|members)\//;
