/** `?members=all`: a call that acts on the member that takes it, at each of them. */
import type { ProblemError } from '../../platform/errors.ts';
import type { Rule } from '../authorization/rule-table.ts';
import type { Call } from '../call.ts';
import { groupDisabledAt } from '../errors.ts';
import type { Member } from '../members/members.ts';
import { whileLeaving } from '../members/orderly-shutdown.ts';
import { startExchange } from './exchange.ts';
import type { ReplyListener, UpstreamRequest } from './upstream-request.ts';

/** What became of the call at one member. */
export interface MemberResult {
  /** `host:port`. */
  readonly member: string;
  readonly uuid?: string;
  /** The member's answer. */
  readonly status?: number;
  /** JSON as such, anything else as text; absent when there was none. */
  readonly body?: unknown;
  /** Why there is no answer. */
  readonly error?: { readonly code: string; readonly detail: string };
}

/** Members answer such calls with a line or two; what is longer is cut off. */
const longestBody = 64 * 1024;

/** @param requestFor  each member gets its own: credentials differ between clusters */
export async function broadcast(
  call: Call,
  requestFor: (member: Member) => UpstreamRequest,
  members: readonly Member[],
): Promise<void> {
  sendResults(call, await fanOut(requestFor, members, call.rule!));
}

/** A member where the group is off is not asked: its answer would not say so. */
function fanOut(
  requestFor: (member: Member) => UpstreamRequest,
  members: readonly Member[],
  { group, endsMember = false }: Pick<Rule, 'group' | 'endsMember'>,
): Promise<readonly MemberResult[]> {
  return Promise.all(
    members.map((member) =>
      member.offGroups.has(group)
        ? { ...nameOf(member), error: errorOf(groupDisabledAt(group, member)) }
        : askOne(requestFor(member), member, endsMember),
    ),
  );
}

/** 200 when all went well, else 207: some did and some did not, and the body says which; so does the call's record. */
function sendResults(call: Call, results: readonly MemberResult[]): void {
  const { res, requestId } = call;
  const isWell = results.every(({ status = 0 }) => status >= 200 && status < 300);
  call.results = results.map(({ member, status, error }) => ({
    member,
    ...(status !== undefined && { status }),
    ...(error && { reason: error.code }),
  }));
  const body = JSON.stringify({ results });
  res.writeHead(isWell ? 200 : 207, isWell ? 'OK' : 'Multi-Status', {
    'X-Request-Id': requestId,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  res.end(body);
}

function askOne(request: UpstreamRequest, member: Member, endsMember: boolean): Promise<MemberResult> {
  const about = nameOf(member);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let status = 0;
    const listener: ReplyListener = {
      onHead(head) {
        status = head.status;
      },
      onData(chunk) {
        length += chunk.length;
        if (length <= longestBody) chunks.push(chunk);
        return true;
      },
      onEnd(rest) {
        if (rest !== undefined) listener.onData(Buffer.from(rest));
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ ...about, status, ...(text !== '' && { body: asJson(text) }) });
      },
      onFailure(problem) {
        resolve({ ...about, error: errorOf(problem) });
      },
    };
    if (endsMember) {
      member.leave('told');
      const leaving = whileLeaving(member, request, listener);
      startExchange(leaving.request, leaving.listener, [member]);
    } else {
      startExchange(request, listener, [member]);
    }
  });
}

function nameOf({ address, uuid }: Member): Pick<MemberResult, 'member' | 'uuid'> {
  return { member: new URL(address).host, ...(uuid !== undefined && { uuid }) };
}

function errorOf({ problem, message }: ProblemError): NonNullable<MemberResult['error']> {
  return { code: problem.code, detail: message };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
