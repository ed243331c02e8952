import type { PollingCaller } from './member-poll.ts';

export interface WaitingCallers {
  readonly isEmpty: boolean;
  add(caller: PollingCaller): void;
  /** @returns whether it was among them */
  remove(caller: PollingCaller): boolean;
  /**
   * Takes out the one whose turn it is.
   *
   * @param except  not one of this subject
   */
  next(except?: string): PollingCaller | undefined;
}

export function createWaitingCallers(): WaitingCallers {
  /** By subject, the one whose turn comes next first. */
  const waiting = new Map<string, Set<PollingCaller>>();

  return {
    get isEmpty() {
      return waiting.size === 0;
    },
    add(caller) {
      const own = waiting.get(caller.request.caller);
      if (own === undefined) waiting.set(caller.request.caller, new Set([caller]));
      else own.add(caller);
    },
    remove,
    next(except) {
      for (const [subject, own] of waiting) {
        if (subject === except) continue;
        const [first] = own;
        remove(first!);
        if (waiting.delete(subject)) waiting.set(subject, own);
        return first;
      }
      return undefined;
    },
  };

  function remove(caller: PollingCaller): boolean {
    const own = waiting.get(caller.request.caller);
    if (!own?.delete(caller)) return false;
    if (own.size === 0) waiting.delete(caller.request.caller);
    return true;
  }
}
