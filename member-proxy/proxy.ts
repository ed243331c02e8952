/** The member proxy: one call from its head to the reply of a member, step by step. What each step needs to know is in a file of its own. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BearerCheck } from '../access-tokens/bearer.ts';
import { createTokenReader, isDpop } from '../access-tokens/credentials.ts';
import { withDpopChallenge } from '../access-tokens/dpop/errors.ts';
import type { Caller } from '../access-tokens/verify-token.ts';
import { ProblemError, problems } from '../platform/errors.ts';
import { authorizeCall, checkStoredType, takesPositionalBody } from './authorization/authorize-call.ts';
import { builtInRoles, type RoleBook } from './authorization/role-permissions.ts';
import type { Rule } from './authorization/rule-table.ts';
import { createRules } from './authorization/rules.ts';
import { type Call, deniedCallOf, newCall, recordOf } from './call.ts';
import type { CallRecord } from './call-record.ts';
import type { DeniedCall } from './denied-call.ts';
import { groupDisabled, insufficientScope, revokedWhileWaiting } from './errors.ts';
import { readBody, wholeBody } from './forwarding/body.ts';
import { asksForBroadcast } from './forwarding/broadcast.ts';
import {
  type BodyFor,
  filledAtEngine,
  filledFor,
  thatTakeTheSame,
} from './forwarding/configured-credentials.ts';
import { createCredentialsMonitor } from './forwarding/credentials-monitor.ts';
import { type ReplyListener, startExchange, type UpstreamRequest } from './forwarding/exchange.ts';
import { fanOut, sendResults } from './forwarding/fan-out.ts';
import { createReplyFields } from './forwarding/headers.ts';
import { checkOffer, checkQueueName, offerInBody } from './forwarding/offers.ts';
import { waitOf } from './forwarding/poll-wait.ts';
import type { MemberCredentials } from './forwarding/positional-body.ts';
import { relayTo, requestFor } from './forwarding/relay.ts';
import { continueTrace } from './forwarding/trace.ts';
import { allDrained, noMember } from './forwarding/upstream-errors.ts';
import { createInFlightCalls } from './in-flight-calls.ts';
import { defaultLimits, type ProxyLimits } from './limits.ts';
import { noSuchMember, readMemberTarget } from './members/member-target.ts';
import type { Member, MemberStatus, Members } from './members/members.ts';
import { makeRoomFor, whileLeaving } from './members/orderly-shutdown.ts';
import { createPollDesk } from './queue-polls/poll-desk.ts';
import type { ItemRecord } from './queue-polls/queue-item.ts';
import { createRateLimit, defaultRateLimits, type RateLimits } from './rate-limit.ts';
import { type RequestHead, readHead } from './request-head.ts';
import { readTarget, type Target } from './request-target.ts';
import { sendError } from './send-error.ts';

export type { CallRecord, DeniedCall };

const pollsLeft =
  'polls whose callers have gone still wait at members: an item that one of them is given is lost';

/** The part of a logger that the proxy needs. */
export interface ProxyLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

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
}

export interface MemberProxy {
  /** Takes over a request whose target starts with `/svc/`, `/hazelcast/` or `/members/`. Never throws. */
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** Ends the in-flight calls whose tokens have been revoked, or open them no longer: a poll may wait for hours. */
  recheck(): void;
  /** The members as they are known now. */
  statuses(): readonly MemberStatus[];
  /** Resolves when each of them has been asked once how it is. */
  readonly firstProbe: Promise<void>;
  /** See {@link Members.drain}. */
  drain(names: ReadonlySet<string>): void;
  /** Polls that wait now. */
  waitingPolls(): number;
  /** Waits for in-flight calls and closes the connections to the members. */
  close(): Promise<void>;
}

/**
 * Forwards proven callers to a member's REST interface: frame, canonicalise, authenticate,
 * authorize, forward, stream back (S57). Works on node:http's objects directly: every call to a
 * member passes here, and a framework in between would cost a third of the rate.
 */
export function createMemberProxy(deps: MemberProxyDeps): MemberProxy {
  const { bearer, members, log, now, onDenial, requestIdOf, addressOf, onDecision } = deps;
  const limits: ProxyLimits = { ...defaultLimits, ...deps.limits };
  const roles = deps.roles ?? builtInRoles;
  const rules = createRules(roles);
  // After the rules, which hear of it first.
  const unsubscribe = roles.onChange(recheck);
  const readToken = createTokenReader();
  const replyFields = createReplyFields();
  const rateLimit = createRateLimit(deps.rateLimits ?? defaultRateLimits, now);
  const checkConfiguredCredentials = createCredentialsMonitor(log, now);
  const desk = createPollDesk({
    limits,
    members: members.list,
    canWithdraw: deps.canWithdraw ?? false,
    now: deps.now,
    onItem: deps.onItem ?? (() => {}),
  });
  /** Calls that wait for a member; one that is answered is over before a revocation could matter. */
  const waiting = createInFlightCalls();

  return {
    handle,
    recheck,
    statuses: members.statuses,
    firstProbe: members.firstProbe,
    drain: members.drain,
    waitingPolls: desk.waiting,
    async close() {
      unsubscribe();
      const polls = await desk.close();
      if (polls > 0) log.warn({ polls }, pollsLeft);
      await members.close();
    },
  };

  function recheck(): void {
    for (const call of waiting.list()) {
      const denial = call.res.headersSent ? undefined : lostWhileWaiting(call);
      if (denial === undefined) continue;
      call.exchange?.abort();
      sendProblem(call, denial);
    }
  }

  /** Why a call that was let through would be refused now. */
  function lostWhileWaiting({ req, target, caller }: Call): ProblemError | undefined {
    try {
      if (!bearer.isStillGood(caller!)) return revokedWhileWaiting();
    } catch (error) {
      if (error instanceof ProblemError) return error;
      throw error;
    }
    const decision = rules.decide(req.method!, target!, caller!);
    return decision.outcome === 'insufficientScope' ? insufficientScope(decision.scope) : undefined;
  }

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const call = openCall(req, res);
    try {
      const head = readHead(req, limits);
      call.isFramed = true;
      call.isBodyless = head.bodyLength === 0;
      call.trace = continueTrace(head.traceparent, head.tracestate);
      const { member, url } = readMemberTarget(req.url!);
      call.memberTarget = member;
      const target = readTarget(url, limits.targetBytes);
      call.target = target;
      const caller = authenticate(req, head.authorization);
      if (caller instanceof Promise) {
        caller
          .then((proven) => authorize(call, head, target, proven))
          .catch((error) => sendProblem(call, error));
      } else {
        authorize(call, head, target, caller);
      }
    } catch (error) {
      sendProblem(call, error);
    }
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

  function authenticate(req: IncomingMessage, authorization: string | undefined): Caller | Promise<Caller> {
    const token = readToken(authorization);
    return isDpop(authorization!) ? bearer.check(token, req) : bearer.check(token);
  }

  function authorize(call: Call, head: RequestHead, target: Target, caller: Caller): void {
    call.caller = caller;
    const rule = authorizeCall(rules.decide(call.req.method!, target, caller), call);
    checkStoredType(rule, head, limits.contentTypeBytes);
    call.isBroadcast = asksForBroadcast(target, rule, call.memberTarget);
    checkOffer(rule, target);
    const isWaiting = waitOf(call.req.method!, rule, target) !== undefined;
    call.countOut = rateLimit.countIn(caller.subject, rule, isWaiting);
    if (
      call.memberTarget === undefined
        ? !rule.isForMaster || call.isBroadcast
        : members.find(call.memberTarget) !== undefined
    ) {
      route(call, head, target, candidatesFor(call, rule));
      return;
    }
    askWho(call, rule)
      .then((candidates) => {
        checkStillOpen(call);
        route(call, head, target, candidates);
      })
      .catch((error) => sendProblem(call, error));
  }

  /** A member that is not known may have come just now, and some calls are for the master of the cluster alone. */
  async function askWho(call: Call, rule: Rule): Promise<readonly Member[]> {
    if (call.memberTarget !== undefined) {
      await members.resolve(call.memberTarget);
      return candidatesFor(call, rule);
    }
    const candidates = candidatesFor(call, rule);
    const master = await members.masterOf(candidates[0]!);
    if (master?.offGroups.has(rule.group)) throw groupDisabled(rule.group, master);
    return master === undefined ? candidates : [master];
  }

  function route(call: Call, head: RequestHead, target: Target, candidates: readonly Member[]): void {
    const rule = call.rule!;
    checkQueueName(rule, target, candidates);
    if (head.bodyLength === 0 && !takesPositionalBody(rule, call)) {
      forwardBodyless(call, head, target, candidates);
      return;
    }
    readBody(call.req, head.bodyLength, limits)
      .then(async (body) => {
        if (offerInBody(rule, target) !== undefined) {
          await wholeBody(body); // members discard it as well
          checkStillOpen(call);
          return forwardBodyless(call, head, target, candidates);
        }
        if (!takesPositionalBody(rule, call)) {
          checkStillOpen(call);
          return forward(call, head, target, candidates, () => body);
        }
        const { contentType } = head;
        const received = {
          content: await wholeBody(body),
          contentType,
          positionalFields: rule.positionalFields!,
        };
        checkStillOpen(call);
        forward(call, head, target, thatTakeTheSame(candidates), filledFor(received, deps.credentials));
      })
      .catch((error) => sendProblem(call, error));
  }

  /** What has no body of the caller's, and may get one all the same. */
  function forwardBodyless(
    call: Call,
    head: RequestHead,
    target: Target,
    candidates: readonly Member[],
  ): void {
    const { atEngine } = call.rule!;
    const offer = offerInBody(call.rule!, target);
    if (offer !== undefined) {
      const { item, contentType } = offer;
      const body = { content: item, length: item.length };
      forward(call, { ...head, contentType }, offer.target, candidates, () => body);
    } else if (atEngine?.positionalFields) {
      const bodyFor = filledAtEngine(atEngine.positionalFields, deps.credentials);
      forward(call, head, target, thatTakeTheSame(candidates), bodyFor);
    } else {
      forward(call, head, target, candidates, () => undefined);
    }
  }

  /** A body may take minutes to arrive, and what let the call in may have ended meanwhile (S34). */
  function checkStillOpen(call: Call): void {
    const denial = lostWhileWaiting(call);
    if (denial !== undefined) throw denial;
  }

  /** A member that would only hang up is not asked, so that the denial can say why. */
  function candidatesFor({ memberTarget, isBroadcast }: Call, { group }: Rule): readonly Member[] {
    if (isBroadcast) return members.list(); // each is looked at by itself
    const candidates = memberTarget === undefined ? members.rank(group) : [targetMember(memberTarget)];
    const [first] = candidates;
    if (first === undefined) throw members.list().length > 0 ? allDrained() : noMember([]);
    if (first.offGroups.has(group)) throw groupDisabled(group, first);
    return candidates;
  }

  function targetMember(name: string): Member {
    const member = members.find(name);
    if (member === undefined) {
      throw noSuchMember();
    }
    return member;
  }

  function forward(
    call: Call,
    head: RequestHead,
    target: Target,
    candidates: readonly Member[],
    bodyFor: BodyFor,
  ): void {
    if (call.isOver) {
      return;
    }
    const asked = call.isBroadcast ? { sent: target.path, path: target.path } : target;
    const requestOf = (member: Member | undefined) =>
      requestFor(
        call,
        { head, target: asked, body: member && bodyFor(member) },
        checkConfiguredCredentials,
        limits,
      );
    if (call.isBroadcast) {
      fanOut(requestOf, members.list(), call.rule!)
        .then((results) => sendResults(call, results))
        .catch((error) => sendProblem(call, error));
      return;
    }
    waiting.add(call);
    const listener = relayTo(call, replyFields, limits, (error) => sendProblem(call, error));
    const request = requestOf(candidates[0]);
    if (call.rule!.endsMember) void shutDown(call, candidates[0]!, request, listener);
    else if (isPoll(call)) desk.take(call, request, listener, candidates, waitMsOf(call));
    else call.exchange = startExchange(request, listener, candidates);
  }

  function isPoll({ rule, req }: Call): boolean {
    return rule!.structure?.action === 'poll' && req.method !== 'HEAD';
  }

  function waitMsOf({ req, rule, target }: Call): number {
    return (waitOf(req.method!, rule!, target!) ?? 0) * 1000;
  }

  async function shutDown(call: Call, member: Member, request: UpstreamRequest, listener: ReplyListener) {
    await makeRoomFor(member, members.list());
    if (call.isOver || call.denial) {
      member.stay();
      return;
    }
    const leaving = whileLeaving(member, request, listener);
    call.exchange = startExchange(leaving.request, leaving.listener, [member]);
  }

  function sendProblem(call: Call, error: unknown): void {
    if (call.isOver) {
      return;
    }
    const { res, requestId } = call;
    const denial = inSchemeOf(call.caller, problemErrorOf(error, requestId));
    call.denial = { code: denial.problem.code, decisionId: onDenial(deniedCallOf(call, denial)) };
    if (res.headersSent) {
      // Too late to say anything but that the reply is not whole.
      res.destroy();
      return;
    }
    sendError(call, denial, { requestId, decisionId: call.denial.decisionId });
  }

  function problemErrorOf(error: unknown, requestId: string): ProblemError {
    if (error instanceof ProblemError) {
      if (error.problem.status > 500) {
        log.warn({ requestId, reason: error.problem.code, err: error.cause }, 'no member answered the call');
      }
      return error;
    }
    log.error({ requestId, err: error }, 'call failed');
    return new ProblemError(problems.serverError, 'The call could not be handled', { cause: error });
  }

  /** Runs once, whichever way the call ends; a caller who left takes the member's side down with him (S70). */
  function finish(call: Call): void {
    if (call.isOver) {
      return;
    }
    call.isOver = true;
    waiting.remove(call);
    call.countOut?.();
    if (!call.res.writableFinished) {
      call.exchange?.abort();
    }
    onDecision?.(recordOf(call, now()));
  }
}

/** What a caller lacks who has proven a key is told in the scheme that takes such proofs. */
function inSchemeOf(caller: Caller | undefined, denial: ProblemError): ProblemError {
  return caller?.keyThumbprint === undefined ? denial : withDpopChallenge(denial);
}
