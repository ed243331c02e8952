/** Calls that the console makes to the members by itself, by the same rules, credentials and names as those that it forwards. */
import type { ReplyHead } from '../http/client/reply-head.ts';
import { ProblemError, problems } from '../platform/errors.ts';
import type { AskMember, MemberCall, MemberReply, OpenMember } from '../platform/member-call.ts';
import { routesOf } from './authorization/routes.ts';
import { type Rule, ruleTable } from './authorization/rule-table.ts';
import { filledFor, thatTakeTheSame } from './forwarding/configured-credentials.ts';
import { engineCallOf } from './forwarding/engine-call.ts';
import { startExchange } from './forwarding/exchange.ts';
import type { MemberCredentials } from './forwarding/positional-body.ts';
import { continueTrace } from './forwarding/trace.ts';
import type { Exchange, ReplyListener, UpstreamRequest } from './forwarding/upstream-request.ts';
import type { ProxyLimits } from './limits.ts';
import type { Candidates } from './members/candidates.ts';
import type { Member, Members } from './members/members.ts';
import { shutDown } from './members/orderly-shutdown.ts';
import { createReplyReader, fieldIn } from './open-reply.ts';
import { readTarget } from './request-target.ts';

export interface OwnCallsDeps {
  readonly members: Pick<Members, 'list'>;
  readonly candidates: Candidates;
  readonly credentials: MemberCredentials;
  readonly limits: Pick<ProxyLimits, 'targetBytes' | 'replyMs' | 'ownReadMs'>;
}

/** Whose calls they are, where places at a member are shared out. */
const caller = 'console';

export interface OwnCalls {
  readonly ask: AskMember;
  readonly open: OpenMember;
  /** Ends those that wait for an answer: what a member does not say to a console that stops is of no use. */
  close(): void;
}

export function createOwnCalls(deps: OwnCallsDeps): OwnCalls {
  const prepare = createPrepare(deps);
  const { members } = deps;
  const waiting = new Set<Asked>();

  return {
    async ask(call) {
      const { request, rule, takers } = await prepare(call);
      const asked = createAsked(call.mostBytes);
      waiting.add(asked);
      asked.begin(request, takers, rule.endsMember ? members : undefined);
      return asked.answered.finally(() => waiting.delete(asked));
    },
    async open(call) {
      const { request, takers } = await prepare(call);
      const { listener, opened } = createReplyReader(() => exchange);
      const exchange = startExchange(request, listener, takers);
      return opened;
    },
    close() {
      for (const asked of waiting) asked.end(stopping());
    },
  };
}

/** @returns a function that makes of a call what is sent, and says who may get it */
function createPrepare({ candidates, limits, credentials }: OwnCallsDeps) {
  const routeOf = routesOf(ruleTable);

  return async (call: MemberCall) => {
    const target = readTarget(`/svc${call.path}`, limits.targetBytes);
    const rule = routeOf(target.path)?.byMethod.get(call.method);
    if (!rule) throw new ProblemError(problems.invalidRequest, 'Members have no such call.');
    const asked = { memberTarget: call.member, isBroadcast: false };
    const able = candidates.areKnown(asked, rule)
      ? candidates.now(asked, rule)
      : await candidates.ask(asked, rule);
    const takers = call.positionalValues ? thatTakeTheSame(able) : able;
    const isReading = rule.permission.endsWith(':read');
    const request: UpstreamRequest = {
      method: call.method,
      ...target,
      atEngine: engineCallOf(rule, call.method, target),
      fields: fieldsOf(call),
      body: bodyFor(call, rule, takers[0]!, credentials),
      replyMs: isReading ? limits.ownReadMs : limits.replyMs,
      isWaiting: false,
      caller,
      isRepeatable: isReading && call.method === 'GET',
      onAnswer: undefined,
    };
    return { request, rule, takers };
  };
}

function fieldsOf({ positionalValues, value }: MemberCall): string[] {
  const { traceparent } = continueTrace(undefined, undefined);
  const type = positionalValues ? 'application/x-www-form-urlencoded' : value?.type;
  return [...(type === undefined ? [] : ['content-type', type]), 'traceparent', traceparent];
}

function bodyFor(
  { positionalValues, value }: MemberCall,
  rule: Rule,
  member: Member,
  own: MemberCredentials,
) {
  if (value) return { content: value.bytes, length: value.bytes.length };
  const positionalFields = rule.positionalFields ?? rule.atEngine?.positionalFields;
  if (!positionalValues || !positionalFields) return undefined;
  const content = Buffer.from(`&${positionalValues.map((text) => `&${encodeURIComponent(text)}`).join('')}`);
  return filledFor({ content, contentType: undefined, positionalFields }, own)(member);
}

interface Asked {
  readonly answered: Promise<MemberReply>;
  /** @param all  where the call ends the member that it is sent to */
  begin(request: UpstreamRequest, takers: readonly Member[], all: Pick<Members, 'list'> | undefined): void;
  end(error: ProblemError): void;
}

function createAsked(mostBytes = Number.POSITIVE_INFINITY): Asked {
  let resolve: (reply: MemberReply) => void;
  let reject: (error: unknown) => void;
  const answered = new Promise<MemberReply>((resolveAnswered, rejectAnswered) => {
    [resolve, reject] = [resolveAnswered, rejectAnswered];
  });
  const chunks: Buffer[] = [];
  let length = 0;
  let head: ReplyHead | undefined;
  const call: { isOver: boolean; denial: undefined; exchange: Exchange | undefined } = {
    isOver: false,
    denial: undefined,
    exchange: undefined,
  };
  const listener: ReplyListener = {
    onHead(came) {
      head = came;
    },
    onData(chunk) {
      if (!take(chunk)) end(tooLarge(mostBytes));
      return true;
    },
    onEnd(rest) {
      if (rest && !take(rest)) return reject(tooLarge(mostBytes));
      const { status, fields } = head!;
      const member = new URL(call.exchange!.member!.address).host;
      resolve({ status, type: fieldIn(fields, 'content-type'), bytes: Buffer.concat(chunks), member });
    },
    onFailure: (error) => reject(error),
  };
  return {
    answered,
    begin(request, takers, all) {
      if (all) shutDown(call, takers[0]!, all.list(), { request, listener }).catch(reject);
      else call.exchange = startExchange(request, listener, takers);
    },
    end,
  };

  function end(error: ProblemError): void {
    call.isOver = true;
    call.exchange?.abort();
    reject(error);
  }

  function take(chunk: Buffer): boolean {
    length += chunk.length;
    if (length <= mostBytes) chunks.push(Buffer.from(chunk));
    return length <= mostBytes;
  }
}

function stopping(): ProblemError {
  return new ProblemError(problems.busy, 'The console stops.');
}

function tooLarge(mostBytes: number): ProblemError {
  return new ProblemError(
    problems.contentTooLarge,
    `What the member answers is larger than ${mostBytes} bytes: ask it below /svc.`,
  );
}
