/** What a process tells of requests that the HTTP parser refused, and of connections too many. */
import type { RefusedCall } from '../../member-proxy/refused-call.ts';
import type { Audit } from '../../platform/log.ts';

export interface RefusedConnectionsDeps {
  /** Keeps it for whoever asks. @returns its decision id */
  readonly keep: (refused: RefusedCall) => string;
  readonly audit: Audit;
}

/** @returns what hears of each such refusal, and gives it its decision id */
export function hearRefusedConnections({ keep, audit }: RefusedConnectionsDeps) {
  return (refused: RefusedCall): string => {
    const decisionId = keep(refused);
    const { method, path, code, status, source, requestId } = refused;
    audit('request.refused', {
      outcome: status >= 500 ? 'failure' : 'denied',
      method: method || undefined,
      path: path || undefined,
      reason: code,
      source,
      requestId,
      decisionId,
    });
    return decisionId;
  };
}
