/**
 * Tells every application of an ended session (OpenID Connect Back-Channel Logout 1.0 §2.5), in the
 * background: up to three tries, each with a token of its own, and nobody is held by a slow one (S40).
 */

import type { Audit } from '../../platform/log.ts';
import { type Clients, logoutTargets } from '../clients/clients.ts';
import type { Outbound } from '../http/outbound/outbound.ts';
import { post } from '../outbox/post.ts';
import { createSender } from '../outbox/sender.ts';
import {
  type EndedSessionId,
  type LogoutNotice,
  type LogoutOutbox,
  type NoticeOutcome,
  receiverOf,
} from './logout-outbox.ts';
import type { SignLogoutToken } from './logout-token.ts';

export interface LogoutNoticesDeps {
  readonly outbox: LogoutOutbox;
  readonly clients: Pick<Clients, 'find'>;
  readonly signLogoutToken: SignLogoutToken;
  readonly outbound: Pick<Outbound, 'send'>;
  readonly audit: Audit;
  readonly onError: (error: unknown) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export type LogoutNotices = ReturnType<typeof createLogoutNotices>;

/** Before the second and the third try. */
const backOffMs = [2000, 10_000] as const;

export function createLogoutNotices(deps: LogoutNoticesDeps) {
  const { outbox, clients, signLogoutToken, outbound, audit, onError, now } = deps;
  const sender = createSender<LogoutNotice>({
    waiting: outbox.waiting,
    deliver,
    queueOf: receiverOf,
    onAdded: outbox.onAdded,
    onError,
    now,
  });

  return {
    /** Begins to send, what an earlier run or another process has left too. */
    start: sender.start,
    /** What has become of the notices once each application has been tried, at the latest after `timeoutMs`. */
    settled(session: EndedSessionId, timeoutMs: number): Promise<readonly NoticeOutcome[]> {
      return new Promise((resolve, reject) => {
        const end = () => {
          clearTimeout(timer);
          stopWatching();
        };
        const check = (isLate: boolean) =>
          void outbox.outcomes(session).then(
            (outcomes) => {
              if (!isLate && !outcomes.every(wasTried)) return;
              end();
              resolve(outcomes);
            },
            (error) => {
              end();
              reject(error);
            },
          );
        const timer = setTimeout(check, timeoutMs, true);
        const stopWatching = sender.onTried(() => check(false));
        check(false);
      });
    },
    outcomes: outbox.outcomes,
    /** Breaks off what is under way, which the next start takes up, and waits for its end. */
    close: sender.close,
  };

  async function deliver(id: string, signal: AbortSignal): Promise<void> {
    const notice = await outbox.take(id);
    if (!notice) return;
    try {
      await deliverTaken(notice, signal);
    } finally {
      await outbox.giveBack(id);
    }
  }

  async function deliverTaken(notice: LogoutNotice, signal: AbortSignal): Promise<void> {
    const { clientId, node, accountId, tries } = notice;
    const client = clients.find(clientId);
    const targets = client ? logoutTargets(client) : [];
    const url = node === undefined ? targets[0] : targets.find((target) => target === node);
    if (!client || url === undefined) return outbox.drop(notice);
    const token = await signLogoutToken(client, { sub: accountId, sid: notice.sid });
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

function wasTried({ state, tries }: NoticeOutcome): boolean {
  return state !== 'waiting' || tries > 0;
}
