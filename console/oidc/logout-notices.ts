/**
 * Tells every application of an ended session (OpenID Connect Back-Channel Logout 1.0 §2.5), in the
 * background: up to three tries, each with a token of its own, and nobody is held by a slow one (S40).
 */
import { ProblemError } from '../errors.ts';
import type { Outbound } from '../http/outbound.ts';
import { OutboundError } from '../http/outbound-exchange.ts';
import type { Audit } from '../log.ts';
import type { Clients } from './clients.ts';
import type { EndedSessionId, LogoutNotice, LogoutOutbox, NoticeOutcome } from './logout-outbox.ts';
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

export interface LogoutNotices {
  /** Begins to send, what an earlier run or another process has left too. */
  start(): void;
  /** What has become of the notices once each application has been tried, at the latest after `timeoutMs`. */
  settled(session: EndedSessionId, timeoutMs: number): Promise<readonly NoticeOutcome[]>;
  outcomes(session: EndedSessionId): Promise<readonly NoticeOutcome[]>;
  /** Breaks off what is under way, which the next start takes up, and waits for its end. */
  close(): Promise<void>;
}

/** Before the second and the third try. */
const backOffMs = [2000, 10_000] as const;
/** For notices of other processes and for those that are due again. */
const lookMs = 500;
const atOnce = { inAll: 32, perClient: 4 } as const;

export function createLogoutNotices(deps: LogoutNoticesDeps): LogoutNotices {
  const { outbox, clients, signLogoutToken, outbound, audit, onError, now } = deps;
  const underWay = new Map<string, { readonly clientId: string; readonly work: Promise<void> }>();
  const watchers = new Set<(isLate: boolean) => void>();
  const stopping = new AbortController();
  let queue: readonly LogoutNotice[] = [];
  let stopLooking = () => {};

  return {
    start() {
      const timer = setInterval(look, lookMs).unref();
      const unsubscribe = outbox.onAdded(look);
      stopLooking = () => {
        clearInterval(timer);
        unsubscribe();
      };
      look();
    },
    settled(session, timeoutMs) {
      return new Promise((resolve, reject) => {
        const end = () => {
          clearTimeout(timer);
          watchers.delete(check);
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
        watchers.add(check);
        check(false);
      });
    },
    outcomes: outbox.outcomes,
    async close() {
      stopLooking();
      stopping.abort();
      await Promise.all([...underWay.values()].map(({ work }) => work));
    },
  };

  function look(): void {
    outbox.waiting().then((waiting) => {
      queue = waiting;
      sendNext();
    }, onError);
  }

  /** One application with many ended sessions that does not answer must not hold up the others. */
  function sendNext(): void {
    const at = now();
    queue = queue.filter((notice) => {
      if (notice.dueAt > at || underWay.has(notice.id)) return false;
      if (stopping.signal.aborted || !hasRoomFor(notice)) return true;
      const work = deliver(notice.id)
        .catch(onError)
        .finally(() => {
          underWay.delete(notice.id);
          for (const check of watchers) check(false);
          sendNext();
        });
      underWay.set(notice.id, { clientId: notice.clientId, work });
      return false;
    });
  }

  function hasRoomFor({ clientId }: LogoutNotice): boolean {
    if (underWay.size >= atOnce.inAll) return false;
    return [...underWay.values()].filter((one) => one.clientId === clientId).length < atOnce.perClient;
  }

  async function deliver(id: string): Promise<void> {
    const notice = await outbox.take(id);
    if (!notice) return;
    try {
      await deliverTaken(notice);
    } finally {
      await outbox.giveBack(id);
    }
  }

  async function deliverTaken(notice: LogoutNotice): Promise<void> {
    const { clientId, accountId, tries } = notice;
    const client = clients.find(clientId);
    const url = client?.backchannelLogoutUri;
    if (!client || url === undefined) return outbox.drop(notice);
    const token = await signLogoutToken(client, { sub: accountId, sid: notice.sid });
    const reason = await post(url, token);
    if (reason === 'cancelled') return;
    const pause = reason === undefined ? undefined : backOffMs[tries];
    if (reason === undefined || pause === undefined) await outbox.finish(notice, reason);
    else await outbox.postpone(notice, { reason, dueAt: now() + pause });
    audit('logout.notified', {
      outcome: reason === undefined ? 'success' : 'failure',
      actor: accountId,
      clientId,
      attempt: tries + 1,
      reason,
      willRetry: pause !== undefined,
    });
  }

  /** @returns why the application has not confirmed; nothing when it has */
  async function post(url: string, token: string): Promise<string | undefined> {
    try {
      const { status } = await outbound.send({
        url,
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
        body: new URLSearchParams({ logout_token: token }).toString(),
        signal: stopping.signal,
      });
      return status === 200 || status === 204 ? undefined : `status_${status}`;
    } catch (error) {
      if (error instanceof OutboundError) return error.reason;
      if (error instanceof ProblemError) return error.problem.code;
      throw error;
    }
  }
}

function wasTried({ state, tries }: NoticeOutcome): boolean {
  return state !== 'waiting' || tries > 0;
}
