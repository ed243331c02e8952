/** The member proxy with its limits, audit trail and numbers: the same in the console and as a process of its own. */
import type { IncomingMessage } from 'node:http';
import type { BearerCheck } from '../../access-tokens/bearer.ts';
import type { MemberCredentials } from '../../member-proxy/forwarding/positional-body.ts';
import { defaultLimits } from '../../member-proxy/limits.ts';
import {
  createMembers,
  type MemberStatus,
  type MembersDeps,
  probeTimes,
} from '../../member-proxy/members/members.ts';
import {
  type CallRecord,
  createMemberProxy,
  type MemberProxy,
  type MemberProxyDeps,
} from '../../member-proxy/proxy.ts';
import type { ItemRecord } from '../../member-proxy/queue-polls/queue-item.ts';
import { problems } from '../../platform/errors.ts';
import { type Audit, checkAuditable, type Logger } from '../../platform/log.ts';
import { openFilesLimit } from '../../platform/open-files.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { CallMetrics } from '../metrics/call-metrics.ts';
import type { ExemplarLabels } from '../metrics/numbers.ts';
import type { Settings } from '../settings/settings.ts';
import { shareOf } from './share-of.ts';

/** One caller may have two thirds of them (see `share.ts`), which are more than 10,000. */
const mostEmbeddedPolls = 16_000;

export interface MemberSurfaceDeps
  extends Pick<MemberProxyDeps, 'roles' | 'onDenial' | 'onUse' | 'tracing'>,
    Pick<MembersDeps, 'remembered' | 'onDiscovered'> {
  readonly settings: Settings;
  /** Base addresses. */
  readonly members: readonly string[];
  readonly bearer: BearerCheck;
  readonly log: Logger;
  readonly audit: Audit;
  readonly metrics: Pick<CallMetrics, 'memberCall' | 'replyStalled' | 'queueItem' | 'followPolls'>;
  readonly addressOf: (req: IncomingMessage) => string;
  /** Hears of every call, once it is over. */
  readonly onCall?: (record: CallRecord) => void;
  /** How many processes share the limits; each gets its part. */
  readonly processes?: number;
}

export function createMemberSurface(deps: MemberSurfaceDeps): MemberProxy {
  const { settings, members, log, audit, metrics, processes = 1 } = deps;
  const isEmbedded = settings.members.length === 0;
  const limits = {
    ...defaultLimits,
    bodyBytes: settings.proxyBodyLimitBytes,
    replyStallMs: settings.proxyReplyStallSeconds * 1000,
    memberConnections: shareOf(defaultLimits.memberConnections, processes),
    memberPolls: isEmbedded
      ? shareOf(embeddedPolls(openFilesLimit()), processes)
      : shareOf(settings.proxyPollsPerMember, processes),
  };
  const proxy = createMemberProxy({
    ...deps,
    members: createMembers({
      addresses: members,
      isDiscovering: settings.memberDiscovery && !isEmbedded,
      prefix: settings.memberPrefix ?? (isEmbedded ? 'svc' : undefined),
      credentialsOf: credentialsOf(settings),
      probes: probeTimes,
      limits,
      now: () => performance.now(),
      onChange: logMember,
      onTrouble: logTrouble,
      ...(deps.remembered && { remembered: deps.remembered }),
      ...(deps.onDiscovered && { onDiscovered: deps.onDiscovered }),
    }),
    credentials: { username: settings.memberUsername, password: settings.memberPassword?.reveal() ?? '' },
    limits,
    rateLimits: {
      dataRate: shareOf(settings.proxyDataRate, processes),
      managementRate: shareOf(settings.proxyManagementRate, processes),
      polls: shareOf(settings.proxyPolls, processes),
    },
    now: () => performance.now(),
    requestIdOf,
    canWithdraw: isEmbedded,
    checkMayChange: () => checkAuditable(audit),
    onItem(record) {
      metrics.queueItem(record.outcome);
      if (record.outcome === 'lost') auditLost(record);
    },
    onDecision(record) {
      const { method, route, status, durationMs, member } = record;
      metrics.memberCall(method, route, status, durationMs, member, exemplarOf(record));
      if (record.decision === problems.replyStalled.code) metrics.replyStalled();
      if (!isPlainRead(record)) auditCall(record);
      deps.onCall?.(record);
    },
  });

  metrics.followPolls(proxy.waitingPolls);
  return proxy;

  function logMember({ address, prefix, isIn, lastProbe }: MemberStatus): void {
    const fields = { member: address, prefix, lastProbe };
    if (isIn) log.info(fields, 'member answers');
    else log.warn(fields, 'member is out: no calls go to it while others answer');
  }

  function logTrouble({ address, prefix, trouble, answersTo }: MemberStatus): void {
    if (answersTo === undefined) {
      log.warn({ member: address, reason: trouble }, 'member cannot be reached');
    } else {
      const fields = { member: address, prefix, answersTo };
      log.warn(
        fields,
        'member answers to another first path segment: correct or unset CONSOLE_MEMBER_PREFIX',
      );
    }
  }

  /** Nothing else says what it was: the line of the call cannot be told from that of a poll that took nothing (S94). */
  function auditLost({ subject, outcome: _, ...item }: ItemRecord): void {
    audit('queue.item.lost', { ...item, actor: subject, outcome: 'failure' });
  }

  /** Writes and denials are worth a line; reads that were allowed are counted only (S84). */
  function auditCall(call: CallRecord): void {
    const { decision, status, results } = call;
    // Copying what is left of a record costs more than to name it.
    audit('member.call', {
      requestId: call.requestId,
      decisionId: call.decisionId,
      traceId: call.traceId,
      source: call.source,
      method: call.method,
      path: call.path,
      route: call.route,
      permission: call.permission,
      clientId: call.clientId,
      jti: call.jti,
      elevation: call.elevation,
      member: call.member,
      results,
      durationMs: Math.round(call.durationMs * 10) / 10,
      actor: call.subject,
      status,
      outcome: results ? outcomeOfAll(results) : outcomeOf(decision, status),
      reason: decision,
    });
  }
}

/** What somebody records can be looked up there, and what was denied by `console explain`; of all else nothing is kept. */
function exemplarOf({ isTraceSampled, traceId, decisionId }: CallRecord): ExemplarLabels | undefined {
  if (!isTraceSampled || traceId === undefined) {
    return decisionId === undefined ? undefined : { decision_id: decisionId };
  }
  return decisionId === undefined ? { trace_id: traceId } : { trace_id: traceId, decision_id: decisionId };
}

/** By what the caller was told, whoever said it; a reply that broke off, or none at all, is a failure too. */
function outcomeOf(decision: string, status: number): 'success' | 'denied' | 'failure' {
  if (status >= 400 && status < 500) return 'denied';
  return decision === 'forwarded' && status > 0 && status < 400 ? 'success' : 'failure';
}

/** The answer to a call to all members is 207 whatever became of it where something went wrong. */
function outcomeOfAll(results: NonNullable<CallRecord['results']>) {
  const outcomes = new Set(results.map(({ status = 0 }) => outcomeOf('forwarded', status)));
  if (outcomes.has('success')) return outcomes.size === 1 ? 'success' : 'partial';
  return outcomes.has('failure') || outcomes.size === 0 ? 'failure' : 'denied';
}

/**
 * Polls that may wait at the embedded member, which has no workers that they could take: what they take is some 40 KB
 * each, and three open files, for the caller's connection and both ends of the one to the member.
 */
function embeddedPolls(openFiles: number): number {
  return Math.min(mostEmbeddedPolls, Math.floor(openFiles / 5));
}

/** One object for each set, so that members of the same one are told by it. */
function credentialsOf({ memberCredentials }: Settings): (address: string) => MemberCredentials | undefined {
  const sets = memberCredentials?.reveal() ?? [];
  const byAddress = new Map(sets.flatMap((set) => set.members.map((address) => [address, set] as const)));
  return (address) => byAddress.get(address);
}

/** A poll by GET takes an item away, and so is none. */
function isPlainRead({ decision, method, permission }: CallRecord): boolean {
  const isGet = method === 'GET' || method === 'HEAD';
  return decision === 'forwarded' && isGet && permission?.endsWith(':read') === true;
}
