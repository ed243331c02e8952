/** The member surface: the proxy with this console's token check, audit and metrics. */
import { randomUUID } from 'node:crypto';
import { defaultLimits } from '../../member-proxy/limits.ts';
import { createMembers, type MemberStatus, probeTimes } from '../../member-proxy/members.ts';
import { type CallRecord, createMemberProxy, type MemberProxy } from '../../member-proxy/proxy.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { Shared } from './shared.ts';

/** A change of these may void tokens of calls under way. */
const voiding = ['users', 'clients', 'providers'] as const;

/** @param members  base addresses */
export function composeMembers(
  { services, bearer, log, audit, metrics, addressOf }: Shared,
  members: readonly string[],
): MemberProxy {
  const { settings } = services;
  const isEmbedded = settings.members.length === 0;
  const limits = { ...defaultLimits, bodyBytes: settings.proxyBodyLimitBytes };
  const proxy = createMemberProxy({
    bearer,
    members: createMembers({
      addresses: members,
      isDiscovering: settings.memberDiscovery && !isEmbedded,
      // The embedded member is known, and lives as long as this process.
      prefix: settings.memberPrefix ?? (isEmbedded ? 'svc' : undefined),
      probes: isEmbedded ? undefined : probeTimes,
      limits,
      now: () => performance.now(),
      onChange: logMember,
    }),
    credentials: { username: settings.memberUsername, password: settings.memberPassword?.reveal() ?? '' },
    limits,
    admission: {
      dataRate: settings.proxyDataRate,
      managementRate: settings.proxyManagementRate,
      polls: settings.proxyPolls,
    },
    log,
    now: () => performance.now(),
    onRefusal: () => randomUUID(),
    requestIdOf,
    addressOf,
    onDecision(record) {
      metrics.memberCall(record.method, record.route, record.status, record.durationMs);
      if (!isPlainRead(record)) auditCall(record);
    },
  });
  const stopHearing = [
    services.revocations.onRevoked(proxy.recheck),
    services.storage.registry.onChange((changed) => {
      if (voiding.some((collection) => changed.has(collection))) proxy.recheck();
    }),
  ];
  return {
    ...proxy,
    close() {
      for (const stop of stopHearing) stop();
      return proxy.close();
    },
  };

  function logMember({ address, prefix, isIn, lastProbe }: MemberStatus): void {
    const fields = { member: address, prefix, lastProbe };
    if (isIn) log.info(fields, 'member answers');
    else log.warn(fields, 'member is out: no calls go to it while others answer');
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
