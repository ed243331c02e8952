/** Where a member is between its start and its end. */
export interface Lifecycle {
  readonly phase: 'starting' | 'started' | 'stopping' | 'stopped';
  /** The member takes work: `started`, and not yet told to stop. */
  readonly isReady: boolean;
  /** Keeps the member `starting` until `work`, such as reading what was persisted, has ended well. */
  recover<T>(work: () => Promise<T>): Promise<T>;
  /** Everything has been opened; it is `started` once no recovery is under way either. */
  opened(): void;
  stopping(): void;
  stopped(): void;
  /** Resolves when the member has stopped, well or not. */
  readonly ended: Promise<void>;
}

export function createLifecycle(): Lifecycle {
  let isOpen = false;
  let recoveries = 0;
  let end: 'stopping' | 'stopped' | undefined;
  let hasEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    hasEnded = resolve;
  });

  return {
    get phase() {
      return end ?? (isOpen && recoveries === 0 ? 'started' : 'starting');
    },
    get isReady() {
      return end === undefined && isOpen && recoveries === 0;
    },
    async recover(work) {
      recoveries += 1;
      const result = await work(); // one that fails leaves the member `starting`: it has not its data
      recoveries -= 1;
      return result;
    },
    opened() {
      isOpen = true;
    },
    stopping() {
      end ??= 'stopping';
    },
    ended,
    stopped() {
      end = 'stopped';
      hasEnded();
    },
  };
}
