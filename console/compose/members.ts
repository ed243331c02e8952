/** The member surface: the proxy with this console's token check, audit and metrics. */
import { randomUUID } from 'node:crypto';
import { detectPrefix, type PrefixDetection } from '../../member-proxy/prefix.ts';
import { type CallRecord, createMemberProxy, type MemberProxy } from '../../member-proxy/proxy.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { Shared } from './shared.ts';

/** @param members  base addresses */
export function composeMembers(
  { services, bearer, log, audit, metrics, addressOf }: Shared,
  members: readonly string[],
): MemberProxy {
  const { settings } = services;
  const prefix = composePrefix();
  const proxy = createMemberProxy({
    bearer,
    members: () => members,
    memberPrefix: prefix.current,
    limits: { bodyBytes: settings.proxyBodyLimitBytes },
    log,
    now: () => performance.now(),
    newId: randomUUID,
    requestIdOf,
    addressOf,
    onDecision(record) {
      metrics.memberCall(record.method, record.route, record.status, record.durationMs);
      if (!isPlainRead(record)) auditCall(record);
    },
  });
  return {
    handle: proxy.handle,
    close() {
      prefix.close();
      return proxy.close();
    },
  };

  /** The embedded member is known; others are asked, unless the operator has said. */
  function composePrefix(): PrefixDetection {
    const { memberPrefix, members: external } = settings;
    if (memberPrefix !== undefined || external.length === 0)
      return { current: () => memberPrefix ?? 'svc', close: () => {} };
    return detectPrefix({
      members: external,
      onDetected: (found) => log.info(found, 'member prefix detected'),
    });
  }

  /** Writes and refusals are worth a line; reads that were allowed are counted only (S84). */
  function auditCall({ subject, decision, status, ...call }: CallRecord): void {
    const outcome = decision === 'forwarded' ? 'success' : status >= 500 ? 'failure' : 'denied';
    audit('member.call', { ...call, actor: subject, status, outcome, reason: decision });
  }
}

function isPlainRead({ decision, method }: CallRecord): boolean {
  return decision === 'forwarded' && (method === 'GET' || method === 'HEAD');
}
