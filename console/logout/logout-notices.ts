/**
 * Tells every application of an ended session (OpenID Connect Back-Channel Logout 1.0 §2.5), in the
 * background: up to three tries, each with a token of its own, and nobody is held by a slow one (S40). A try that a
 * dead process has left is made again, with the same `jti`.
 */

import type { Audit } from '../../platform/log.ts';
import { type Clients, logoutTargets } from '../clients/clients.ts';
import type { Outbound } from '../http/outbound/outbound.ts';
import { post } from '../outbox/post.ts';
import { createSender, type Sender } from '../outbox/sender.ts';
import { tryId } from '../outbox/try-id.ts';
import { type LogoutNotice, type LogoutOutbox, receiverOf } from './logout-outbox.ts';
import type { SignLogoutToken } from './logout-token.ts';

export interface LogoutNoticesDeps {
  readonly outbox: LogoutOutbox;
  readonly clients: Pick<Clients, 'find'>;
  readonly signLogoutToken: SignLogoutToken;
  /** Whether this process is the one that sends. */
  readonly isLeading: () => boolean;
  readonly outbound: Pick<Outbound, 'send'>;
  readonly audit: Audit;
  readonly onError: (error: unknown) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Before the second and the third try. */
const backOffMs = [2000, 10_000] as const;

/** Sends what an earlier run or another process has left, too. */
export function createLogoutNotices(deps: LogoutNoticesDeps): Sender {
  const { outbox, clients, signLogoutToken, isLeading, outbound, audit, onError, now } = deps;
  return createSender<LogoutNotice>({
    waiting: outbox.waiting,
    deliver,
    queueOf: receiverOf,
    onAdded: outbox.onAdded,
    onError,
    now,
  });

  async function deliver(id: string, signal: AbortSignal): Promise<void> {
    const notice = await outbox.due(id);
    if (!notice) return;
    const { clientId, node, accountId, tries } = notice;
    const client = await clients.find(clientId);
    const targets = client ? logoutTargets(client) : [];
    const url = node === undefined ? targets[0] : targets.find((target) => target === node);
    if (!client || url === undefined) return outbox.drop(notice);
    const jti = tryId(id, notice.endedAt, tries);
    const token = await signLogoutToken(client, { sub: accountId, sid: notice.sid, jti });
    // Whoever was stopped in between leaves it to whoever leads meanwhile.
    if (!isLeading()) return;
    const reason = await post(outbound, { url, ...formOf(token), signal }, hasConfirmed);
    if (reason === 'cancelled') return;
    const pause = reason === undefined ? undefined : backOffMs[tries];
    if (reason === undefined || pause === undefined) await outbox.finish(notice, reason);
    else await outbox.postpone(notice, { reason, dueAt: now() + pause });
    audit('logout.notified', {
      outcome: reason === undefined ? 'success' : 'failure',
      actor: accountId,
      clientId,
      node,
      attempt: tries + 1,
      reason,
      willRetry: pause !== undefined,
    });
  }
}

function formOf(token: string) {
  return {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: new URLSearchParams({ logout_token: token }).toString(),
  };
}

function hasConfirmed({ status }: { readonly status: number }): boolean {
  return status === 200 || status === 204;
}
