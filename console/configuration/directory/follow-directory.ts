/**
 * Follows a directory by asking for it: what tells of changes does not work on every file system, and a folder that is
 * mounted anew is another one. It counts as changed once it has been still for a while.
 */

export interface FollowDirectoryDeps {
  /** The version of what is there; never rejects. */
  readonly versionNow: () => Promise<string>;
  /** Of which version what is in force was read. */
  readonly known: string;
  /** @returns whether it is done with this version; false: it is asked again */
  readonly onChanged: () => Promise<boolean>;
}

const pollMs = 500;
/** Whoever copies several files has done so by then. */
const stillMs = 2_000;

export function followDirectory({ versionNow, known: first, onChanged }: FollowDirectoryDeps) {
  let known = first;
  let last = first;
  let since = performance.now();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  schedule();

  return {
    /** Resolves when what is being applied has been. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await round;
    },
  };

  function schedule(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      round = check().finally(schedule);
    }, pollMs).unref();
  }

  async function check(): Promise<void> {
    const version = await versionNow();
    if (version !== last) {
      last = version;
      since = performance.now();
    }
    const isStill = performance.now() - since >= stillMs;
    if (isClosed || version === known || !isStill) return;
    since = performance.now();
    if (await onChanged()) known = version;
  }
}
