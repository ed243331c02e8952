/** The member proxy: one call from its head to the reply of a member, step by step. What each step needs to know is in a file of its own. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BearerCheck } from '../access-tokens/bearer.ts';
import { createTokenReader, isDpop } from '../access-tokens/credentials.ts';
import type { Caller } from '../access-tokens/verify-token.ts';
import type { AskMember, OpenMember } from '../platform/member-call.ts';
import { createAllowedStill } from './allowed-still.ts';
import { authorizeCall, checkStoredType } from './authorization/authorize-call.ts';
import { builtInRoles, type RoleBook } from './authorization/role-permissions.ts';
import type { Rule } from './authorization/rule-table.ts';
import { createRules } from './authorization/rules.ts';
import { type Call, newCall, recordOf, type UsedCall } from './call.ts';
import { createEndWithError } from './call-errors.ts';
import type { CallRecord } from './call-record.ts';
import type { DeniedCall } from './denied-call.ts';
import { asksForBroadcast } from './forwarding/broadcast.ts';
import { createCredentialsMonitor } from './forwarding/credentials-monitor.ts';
import { createForward } from './forwarding/forward.ts';
import { checkOffer } from './forwarding/offers.ts';
import { waitOf } from './forwarding/poll-wait.ts';
import type { MemberCredentials } from './forwarding/positional-body.ts';
import { continueTrace, type Trace } from './forwarding/trace.ts';
import { createWithBody } from './forwarding/with-body.ts';
import { createInFlightCalls } from './in-flight-calls.ts';
import { defaultLimits, type ProxyLimits } from './limits.ts';
import { createCandidates } from './members/candidates.ts';
import { readMemberTarget } from './members/member-target.ts';
import type { MemberStatus, Members } from './members/members.ts';
import { createOwnCalls } from './own-calls.ts';
import type { ProxyLog } from './proxy-log.ts';
import { createPollDesk, type PollDesk } from './queue-polls/poll-desk.ts';
import type { ItemRecord } from './queue-polls/queue-item.ts';
import { createRateLimit, defaultRateLimits, type RateLimits } from './rate-limit.ts';
import { type RequestHead, readHead } from './request-head.ts';
import { readTarget, type Target } from './request-target.ts';
import { createWaitingCalls, type WaitingCalls } from './waiting-calls.ts';

export type { CallRecord, DeniedCall, UsedCall };

export interface CallTracing {
  /** Whether a trace that begins here is recorded. */
  samples(): boolean;
  /** Hears of calls whose trace is recorded. @param checkMs  until it was known that it may go on; undefined: it may not */
  record(call: CallRecord, trace: Trace, checkMs: number | undefined): void;
}

const pollsLeft =
  'polls whose callers have gone still wait at members: an item that one of them is given is lost';

export interface MemberProxyDeps {
  readonly bearer: BearerCheck;
  readonly members: Members;
  /** For fields of positional bodies that a caller leaves empty, at members that have no credentials of their own. */
  readonly credentials: MemberCredentials;
  readonly limits?: Partial<ProxyLimits>;
  /** What one caller may ask at a time. */
  readonly rateLimits?: RateLimits;
  readonly log: ProxyLog;
  /** Monotonic milliseconds, for durations. */
  readonly now: () => number;
  /** What roles open; without it, only the built-in ones open anything. */
  readonly roles?: RoleBook;
  /** Gets each denial before the caller does. @returns its decision id */
  readonly onDenial: (denied: DeniedCall) => string;
  readonly requestIdOf: (req: IncomingMessage) => string;
  /** The caller's address, for the record (S84). */
  readonly addressOf?: (req: IncomingMessage) => string;
  /** Whether all members end a poll whose connection is ended on this side: our own one does. */
  readonly canWithdraw?: boolean;
  /** Hears of items of queues that did not reach the caller for whom they were. */
  readonly onItem?: (record: ItemRecord) => void;
  /** For audit and metrics. */
  readonly onDecision?: (record: CallRecord) => void;
  /** Counts what has been used; takes what it wants of the call at once. */
  readonly onUse?: (call: UsedCall) => void;
  /** Before a call that may change something. @throws {ProblemError} when none may now */
  readonly checkMayChange?: () => void;
  /** Records traces; without it they go through, and those that begin here ask nobody to record them. */
  readonly tracing?: CallTracing | undefined;
}

export interface MemberProxy {
  /** Takes over a request whose target starts with `/svc/`, `/hazelcast/` or `/members/`. Never throws. */
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** Ends the in-flight calls whose tokens have been revoked, or open them no longer: a poll may wait for hours. */
  recheck(): void;
  /** A call that the console makes by itself. */
  readonly ask: AskMember;
  /** The same, whose answer is read as it comes. */
  readonly open: OpenMember;
  /**
   * Counts in a call to data that the console makes for somebody, as one that they make here.
   *
   * @param subject  `sub` of their tokens
   * @throws {ProblemError} `too_many_requests`
   */
  countDataCall(subject: string): void;
  /** The members as they are known now. */
  statuses(): readonly MemberStatus[];
  /** Resolves when each of them has been asked once how it is. */
  readonly firstProbe: Promise<void>;
  /** See {@link Members.drain}. */
  drain(names: ReadonlySet<string>): void;
  /** Polls that wait now. */
  waitingPolls(): number;
  /** The same by queue. */
  waitingByQueue: PollDesk['waitingByQueue'];
  readonly waitingCalls: WaitingCalls;
  /** Answers polls that wait that there is no item: a process that ends cannot wait for as long as they do. */
  endWaits(): void;
  /** Waits for in-flight calls and closes the connections to the members. */
  close(): Promise<void>;
}

/**
 * Forwards proven callers to a member's REST interface: frame, canonicalise, authenticate,
 * authorize, forward, stream back (S57). Works on node:http's objects directly: every call to a
 * member passes here, and a framework in between would cost a third of the rate.
 */
export function createMemberProxy(deps: MemberProxyDeps): MemberProxy {
  const { bearer, members, log, now, requestIdOf, addressOf, onDecision, onUse, tracing } = deps;
  const limits: ProxyLimits = { ...defaultLimits, ...deps.limits };
  const roles = deps.roles ?? builtInRoles;
  const rules = createRules(roles);
  // After the rules, which hear of it first.
  const unsubscribe = roles.onChange(recheck);
  const readToken = createTokenReader();
  const rateLimit = createRateLimit(deps.rateLimits ?? defaultRateLimits, now);
  const candidates = createCandidates(members);
  const allowedStill = createAllowedStill(bearer, rules);
  const end = createEndWithError(log, deps.onDenial);
  const desk = createPollDesk({
    limits,
    members: members.list,
    canWithdraw: deps.canWithdraw ?? false,
    now,
    onItem: deps.onItem ?? (() => {}),
  });
  /** Calls that wait for a member; one that is answered is over before a revocation could matter. */
  const inFlight = createInFlightCalls();
  const checkCredentials = createCredentialsMonitor(log, now);
  const send = createWithBody({
    limits,
    credentials: deps.credentials,
    checkAllowed: allowedStill.check,
    forward: createForward({ members, desk, inFlight, limits, checkCredentials, end }),
    end,
  });

  const own = createOwnCalls({ members, candidates, credentials: deps.credentials, limits });
  return {
    handle,
    recheck,
    ask: own.ask,
    open: own.open,
    countDataCall: (subject) => void rateLimit.countIn(subject, { group: 'DATA' }, false),
    statuses: members.statuses,
    firstProbe: members.firstProbe,
    drain: members.drain,
    waitingPolls: desk.waiting,
    waitingByQueue: desk.waitingByQueue,
    endWaits: desk.endWaits,
    waitingCalls: createWaitingCalls({ inFlight, end, now }),
    async close() {
      unsubscribe();
      own.close();
      const polls = await desk.close();
      if (polls > 0) log.warn({ polls }, pollsLeft);
      await members.close();
    },
  };

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const call = openCall(req, res);
    try {
      const head = frame(call);
      const target = canonicalise(call);
      const caller = authenticate(req, head.authorization);
      if (caller instanceof Promise) {
        caller.then((proven) => goOn(call, head, target, proven)).catch((error) => end(call, error));
      } else {
        goOn(call, head, target, caller);
      }
    } catch (error) {
      end(call, error);
    }
  }

  /** Of a caller who is proven. */
  function goOn(call: Call, head: RequestHead, target: Target, caller: Caller): void {
    const rule = authorize(call, head, target, caller);
    countIn(call, rule, target, caller);
    if (tracing) call.forwardedAt = now();
    if (candidates.areKnown(call, rule)) {
      send(call, head, target, candidates.now(call, rule));
      return;
    }
    candidates
      .ask(call, rule)
      .then((members) => {
        allowedStill.check(call);
        send(call, head, target, members);
      })
      .catch((error) => end(call, error));
  }

  function openCall(req: IncomingMessage, res: ServerResponse): Call {
    // The address is asked for now: a connection that has gone has none any more.
    const call = newCall(req, res, {
      requestId: requestIdOf(req),
      source: addressOf?.(req),
      startedAt: now(),
    });
    res.once('close', () => finish(call));
    return call;
  }

  function frame(call: Call): RequestHead {
    const head = readHead(call.req, limits);
    call.isFramed = true;
    call.isBodyless = head.bodyLength === 0;
    call.bodyBytes = head.bodyLength;
    call.trace = continueTrace(head.traceparent, head.tracestate, tracing?.samples);
    return head;
  }

  function canonicalise(call: Call): Target {
    const { member, url } = readMemberTarget(call.req.url!);
    call.memberTarget = member;
    const target = readTarget(url, limits.targetBytes);
    call.target = target;
    return target;
  }

  function authenticate(req: IncomingMessage, authorization: string | undefined): Caller | Promise<Caller> {
    const token = readToken(authorization);
    return isDpop(authorization!) ? bearer.check(token, req) : bearer.check(token);
  }

  function authorize(call: Call, head: RequestHead, target: Target, caller: Caller): Rule {
    call.caller = caller;
    const rule = authorizeCall(rules.decide(call.req.method!, target, caller), call);
    checkStoredType(rule, head, limits.contentTypeBytes);
    call.isBroadcast = asksForBroadcast(target, rule, call.memberTarget);
    checkOffer(rule, target);
    if (!isPlainRead(call.req.method!, rule)) deps.checkMayChange?.();
    return rule;
  }

  function countIn(call: Call, rule: Rule, target: Target, caller: Caller): void {
    const isWaiting = waitOf(call.req.method!, rule, target) !== undefined;
    call.countOut = rateLimit.countIn(caller.subject, rule, isWaiting);
  }

  function recheck(): void {
    for (const call of inFlight.list()) {
      const denial = call.res.headersSent ? undefined : allowedStill.lost(call);
      if (denial === undefined) continue;
      call.exchange?.abort();
      end(call, denial);
    }
  }

  /** Runs once, whichever way the call ends; a caller who left takes the member's side down with him (S70). */
  function finish(call: Call): void {
    if (call.isOver) return;
    call.isOver = true;
    inFlight.remove(call);
    call.countOut?.();
    if (!call.res.writableFinished) call.exchange?.abort();
    const record = recordOf(call, now());
    onDecision?.(record);
    onUse?.(call);
    if (tracing && call.trace?.isSampled) {
      const { forwardedAt, startedAt } = call;
      tracing.record(record, call.trace, forwardedAt === undefined ? undefined : forwardedAt - startedAt);
    }
  }
}

/** A poll of a queue by GET takes an item away. */
function isPlainRead(method: string, { permission }: Rule): boolean {
  return (method === 'GET' || method === 'HEAD') && permission.endsWith(':read');
}
