/** What whoever has ended a session learns of its notices, whichever process sends them. */
import type { EndedSessionId, LogoutOutbox, NoticeOutcome } from './logout-outbox.ts';

export type NoticeOutcomes = ReturnType<typeof createNoticeOutcomes>;

export function createNoticeOutcomes(outbox: Pick<LogoutOutbox, 'outcomes' | 'onTried'>) {
  return {
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
        const stopWatching = outbox.onTried(() => check(false));
        check(false);
      });
    },
    outcomes: outbox.outcomes,
  };
}

function wasTried({ state, tries }: NoticeOutcome): boolean {
  return state !== 'waiting' || tries > 0;
}
