/** What a member is sent, and how its reply gets back to the caller. */
import type { ServerResponse } from 'node:http';
import type { OutgoingBody } from '../../http/client/outgoing-body.ts';
import { FastResponse } from '../../http/server/fast-path/fast-response.ts';
import { whenStalled } from '../../http/server/overload/peer.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Call } from '../call.ts';
import type { ProxyLimits } from '../limits.ts';
import type { Member } from '../members/members.ts';
import type { RequestHead } from '../request-head.ts';
import type { Target } from '../request-target.ts';
import { endAfterLingering } from '../send-error.ts';
import { engineCallOf } from './engine-call.ts';
import { answersStoredValue, type ReplyFields, requestFields } from './headers.ts';
import { waitOf } from './poll-wait.ts';
import type { ReplyListener, UpstreamRequest } from './upstream-request.ts';

const oneChunkBytes = 16 * 1024;

/**
 * @param call                  an authorized one
 * @param checkConfiguredCredentials  hears the answer to a call that was given the credentials of the settings
 */
export function requestFor(
  { req, rule, trace, caller }: Call,
  { head, target, body }: { head: RequestHead; target: Target; body: OutgoingBody | undefined },
  checkConfiguredCredentials: NonNullable<UpstreamRequest['onAnswer']>,
  limits: ProxyLimits,
): UpstreamRequest {
  const isPoll = rule!.structure?.action === 'poll';
  const waitSeconds = waitOf(req.method!, rule!, target);
  return {
    method: req.method!,
    sent: target.sent,
    atEngine: engineCallOf(rule!, req.method!, target),
    fields: requestFields(head, trace!),
    body,
    replyMs: isPoll ? (waitSeconds ?? 0) * 1000 + limits.pollGraceMs : limits.replyMs,
    isWaiting: waitSeconds !== undefined,
    caller: caller!.subject,
    isRepeatable: req.method === 'GET' && !isPoll,
    onAnswer: body?.hasConfiguredCredentials ? checkConfiguredCredentials : undefined,
  };
}

/** Passes a reply on as it comes in, at the caller's pace. */
export function relayTo(
  call: Call,
  replyFields: ReplyFields,
  { replyStallMs }: Pick<ProxyLimits, 'replyStallMs'>,
  onFailure: ReplyListener['onFailure'],
): ReplyListener {
  const { req, res, requestId } = call;
  const rule = call.rule!;
  let isWatched = false;
  return {
    onHead({ status, reason, fields: received, bodyLength }) {
      call.replyBytes = bodyLength;
      const own = ['X-Request-Id', requestId];
      if (rule.isLocal) addMember(own, call.exchange?.member);
      // A member that answers before it has all of a body wants no more of it.
      if (!req.complete) own.push('Connection', 'close');
      const common = replyFields(received, answersStoredValue(rule));
      if (res instanceof FastResponse) res.writeHeadWith(status, reason, own, common);
      else res.writeHead(status, reason, [...own, ...common]);
    },
    onData(chunk) {
      const isTaken = res.write(chunk);
      if (!isTaken) {
        watch();
        res.once('drain', () => call.exchange?.resume());
      }
      return isTaken;
    },
    onEnd(rest) {
      if (rest !== undefined) writeLast(res, rest);
      if (req.complete) res.end();
      else endAfterLingering(req, res);
      // What the caller has not taken yet is watched until it is through.
      if (res.socket !== null && res.socket.writableLength > 0) watch();
    },
    onFailure,
  };

  /** Whoever does not read gets no more than the end of the connection; the record says why. */
  function watch(): void {
    const { socket } = res;
    if (isWatched || socket === null) return;
    isWatched = true;
    whenStalled(socket, () => onFailure(unread(replyStallMs)));
    res.once('close', () => whenStalled(socket, undefined));
  }
}

/** The head has gone out, so the caller is told nothing but the end of the connection; the record says why. */
function unread(stallMs: number): ProblemError {
  return new ProblemError(
    problems.replyStalled,
    `The caller has taken nothing of the reply for ${stallMs / 1000} s`,
  );
}

/**
 * A small piece goes out in one with the head: as text, for Latin-1 keeps every byte, and at Node's server with its own
 * cork, without which it would add an empty piece at the end, and send the two by the slower way.
 *
 * @param rest  valid during the call only
 */
function writeLast(res: ServerResponse, rest: Buffer): void {
  if (rest.length > oneChunkBytes) {
    res.write(Buffer.from(rest));
    return;
  }
  if (res instanceof FastResponse) {
    res.write(rest.toString('latin1'), 'latin1');
    return;
  }
  const { socket } = res;
  socket?.cork();
  res.write(rest.toString('latin1'), 'latin1');
  socket?.uncork();
}

/** The call acts there and nowhere else, so the caller learns where. */
function addMember(fields: string[], member: Member | undefined): void {
  if (member !== undefined) {
    fields.push('Cluster-Member', member.uuid ?? new URL(member.address).host);
  }
}
