/** Calls that wait for members, of all processes, and the end of one. */

/** One that waits, as the member proxy tells of it: plain values that a worker can send. */
export interface OpenCall {
  readonly requestId: string;
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly route: string;
  readonly clientId: string | undefined;
  /** Base address; undefined while none has been asked. */
  readonly member: string | undefined;
  readonly waitedMs: number;
}

/** Those of one process. */
export interface WaitingCalls {
  list(leastMs: number): readonly OpenCall[];
  end(requestId: string): boolean;
}

export interface OpenCalls {
  /** Of all processes, those that have waited longest first. */
  list(): Promise<readonly OpenCall[]>;
  /** @returns false: it does not wait, or not any more */
  end(requestId: string): Promise<boolean>;
  /** Of this process. */
  listOwn(): readonly OpenCall[];
  endOwn(requestId: string): boolean;
  /** Through which the calls of this process go. */
  follow(proxy: { readonly waitingCalls: WaitingCalls }): void;
}

export interface OthersOpenCalls {
  readonly list: () => Promise<readonly OpenCall[]>;
  readonly end: (requestId: string) => Promise<boolean>;
}

/** What is over sooner is nobody's concern. */
const leastMs = 1_000;
/** Of each process. */
const mostCalls = 500;

/** @param all  where several processes answer: those of all of them */
export function createOpenCalls(all?: OthersOpenCalls): OpenCalls {
  let proxy: { readonly waitingCalls: WaitingCalls } | undefined;
  const own = {
    listOwn: () => proxy?.waitingCalls.list(leastMs).slice(0, mostCalls) ?? [],
    endOwn: (requestId: string) => proxy?.waitingCalls.end(requestId) ?? false,
  };
  return {
    ...own,
    async list() {
      const calls = all ? await all.list() : own.listOwn();
      return [...calls].sort((one, other) => other.waitedMs - one.waitedMs);
    },
    end: async (requestId) => (all ? all.end(requestId) : own.endOwn(requestId)),
    follow(of) {
      proxy = of;
    },
  };
}
