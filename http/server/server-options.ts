import type { ServerOptions } from 'node:http';

/** Options of the HTTP server that carries the proxy (S63, S64). */
export const serverOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  /** Whole request, body included; a body that stops arriving, or comes too slowly, is ended much earlier. */
  requestTimeout: 300_000,
  keepAliveTimeout: 65_000,
  /**
   * How often the two timeouts are looked after. All that are over are answered in one go, so the fewer the better: a
   * thousand slow heads would hold everybody else up.
   */
  connectionsCheckingInterval: 100,
  insecureHTTPParser: false,
  /** Node's own error says nothing; every surface has one of its own. */
  requireHostHeader: false,
  noDelay: true,
} as const satisfies ServerOptions;

/** Targets of the member surface, for its fast path. */
export const memberPaths = /^\/(?:svc|hazelcast|members)\//;
