/** How much of a process connections, their sources and all of them may hold. Sizes are bytes, times milliseconds. */
export interface OverloadLimits {
  /** Open connections; above it only probes are answered. */
  readonly connections: number;
  /** Of one source; a trusted proxy in front is none. */
  readonly connectionsPerSource: number;
  /** Requests under way for which this process itself works: pages and endpoints, not calls to members. Above it they wait. */
  readonly requests: number;
  readonly requestsPerSource: number;
  /** Longest wait for such a place; above it the request is refused. */
  readonly waitMs: number;
  /** Longest time in which a head has to arrive. */
  readonly headMs: number;
  /** What a body may take beyond one second for each {@link slowestBodyRate}; waits for its reader do not count. */
  readonly bodyMs: number;
  /** Longest time in which a connection that has bytes to send gets rid of none of them. */
  readonly replyStallMs: number;
}

/** Bytes a second. */
export const slowestBodyRate = 1024;

/**
 * Connections that the system keeps for a server that is busy; it may allow fewer (Linux: `net.core.somaxconn`). Who finds
 * no room comes again a second later at the earliest, and Node's own 511 are taken as soon as a thousand come at once.
 */
export const backlog = 4_096;

/** One address cannot have them all. */
export const defaultOverloadLimits: OverloadLimits = {
  connections: 32_000,
  connectionsPerSource: 24_000,
  requests: 1_024,
  requestsPerSource: 256,
  waitMs: 10_000,
  headMs: 10_000,
  bodyMs: 30_000,
  replyStallMs: 60_000,
};
