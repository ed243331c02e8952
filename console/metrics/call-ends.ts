/** The end of a call that waits at another console on the same database: asked for by what all are told of, and answered so. */
import type { ArtifactStore } from '../storage/storage.ts';

export interface CallEndsDeps {
  readonly artifacts: Pick<ArtifactStore, 'put' | 'onPut'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface CallEnds {
  /** From now on ends here what others ask for. */
  follow(endOwn: (requestId: string) => boolean): void;
  /**
   * @returns false: none has said within some seconds that it has ended it
   * @throws {StorageUnavailableError}
   */
  end(requestId: string): Promise<boolean>;
}

const kind = 'CallEnd';
const storedSeconds = 60;
const patienceMs = 3_000;

export function createCallEnds({ artifacts, now }: CallEndsDeps): CallEnds {
  const put = (requestId: string, isEnded: boolean) =>
    artifacts.put(kind, requestId, {
      payload: { requestId, isEnded },
      expiresAt: Math.ceil(now() / 1000) + storedSeconds,
    });
  return {
    follow(endOwn) {
      artifacts.onPut(kind, ({ payload: { requestId, isEnded } }) => {
        if (isEnded === true || !endOwn(String(requestId))) return;
        // Who has asked takes it for one that had ended before.
        void put(String(requestId), true).catch(() => {});
      });
    },
    async end(requestId) {
      const answer = answered(requestId);
      try {
        await put(requestId, false);
        return await answer.isEnded;
      } finally {
        answer.stop();
      }
    },
  };

  function answered(asked: string) {
    let stop = () => {};
    const isEnded = new Promise<boolean>((resolve) => {
      const timer = setTimeout(resolve, patienceMs, false).unref();
      const unsubscribe = artifacts.onPut(kind, ({ payload: { requestId, isEnded } }) => {
        if (requestId === asked && isEnded === true) resolve(true);
      });
      stop = () => {
        clearTimeout(timer);
        unsubscribe();
      };
    });
    return { isEnded, stop };
  }
}
