/** Calls that wait for members, of all processes, and the end of one. */
import type { CallEnds } from './call-ends.ts';
import { hostOf, shownStructureIn } from './call-sums.ts';

/** One that waits, as the member proxy tells of it. */
export interface WaitingCall {
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

/** As others are told of it: plain values, and no key of an entry. */
export interface ReportedCall {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly client: string | null;
  readonly structure: string | null;
  readonly member: string | null;
  readonly waitedMs: number;
}

export interface OpenCall extends ReportedCall {
  /** The name of the process where it waits. */
  readonly process: string;
  readonly isHere: boolean;
  /** Whether it can be ended from here. */
  readonly canEnd: boolean;
}

/** Those of one process. */
export interface WaitingCalls {
  list(leastMs: number): readonly WaitingCall[];
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

export interface OpenCallsDeps {
  /** Of this process. */
  readonly name: string;
  /** Where several processes answer: those of all of them. */
  readonly all?: OthersOpenCalls | undefined;
  /** Those that other processes have told of. */
  readonly reported?: () => readonly OpenCall[];
  /** Where other consoles have the same store. */
  readonly ends?: CallEnds | undefined;
}

/** What is over sooner is nobody's concern. */
const leastMs = 1_000;
/** Of each process. */
const mostCalls = 500;

export function createOpenCalls({ name, all, reported = () => [], ends }: OpenCallsDeps): OpenCalls {
  let proxy: { readonly waitingCalls: WaitingCalls } | undefined;
  const own = {
    listOwn: () =>
      proxy?.waitingCalls
        .list(leastMs)
        .slice(0, mostCalls)
        .map((call) => ({ ...reportedCall(call), process: name, isHere: true, canEnd: true })) ?? [],
    endOwn: (requestId: string) => proxy?.waitingCalls.end(requestId) ?? false,
  };
  return {
    ...own,
    async list() {
      const calls = [...(all ? await all.list() : own.listOwn()), ...reported()];
      return calls.sort((one, other) => other.waitedMs - one.waitedMs);
    },
    async end(requestId) {
      if (all) return all.end(requestId);
      const isElsewhere = reported().some((call) => call.requestId === requestId && call.canEnd);
      return isElsewhere && ends ? ends.end(requestId) : own.endOwn(requestId);
    },
    follow(of) {
      proxy = of;
      ends?.follow(own.endOwn);
    },
  };
}

function reportedCall({
  requestId,
  method,
  route,
  path,
  clientId,
  member,
  waitedMs,
}: WaitingCall): ReportedCall {
  return {
    requestId,
    method,
    route,
    client: clientId ?? null,
    structure: shownStructureIn(path),
    member: hostOf(member),
    waitedMs: Math.round(waitedMs),
  };
}
