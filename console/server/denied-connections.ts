/** What a process records of requests that the HTTP parser rejects, and of connections too many. */
import type { DeniedCall } from '../../member-proxy/denied-call.ts';
import type { Audit } from '../../platform/log.ts';

export interface DeniedConnectionsDeps {
  /** Keeps it for whoever asks. @returns its decision id */
  readonly record: (denied: DeniedCall) => string;
  readonly audit: Audit;
}

/** @returns what gets each such denial, and gives it its decision id */
export function recordDeniedConnections({ record, audit }: DeniedConnectionsDeps) {
  return (denied: DeniedCall): string => {
    const decisionId = record(denied);
    const { method, path, code, status, source, requestId } = denied;
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
