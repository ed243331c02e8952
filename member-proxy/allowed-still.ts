/** Whether what let a call in still holds: it may wait for hours, and its body for minutes. */
import type { BearerCheck } from '../access-tokens/bearer.ts';
import { ProblemError } from '../platform/errors.ts';
import type { createRules } from './authorization/rules.ts';
import type { Call } from './call.ts';
import { insufficientScope, revokedWhileWaiting } from './errors.ts';

export interface AllowedStill {
  /** Why a call that was let through would be denied now; undefined for one that would not. */
  lost(call: Call): ProblemError | undefined;
  /** @throws {ProblemError} what `lost` gives (S34) */
  check(call: Call): void;
}

export function createAllowedStill(
  bearer: Pick<BearerCheck, 'isStillGood'>,
  rules: Pick<ReturnType<typeof createRules>, 'decide'>,
): AllowedStill {
  return {
    lost,
    check(call) {
      const denial = lost(call);
      if (denial !== undefined) throw denial;
    },
  };

  function lost({ req, target, caller }: Call): ProblemError | undefined {
    try {
      if (!bearer.isStillGood(caller!)) return revokedWhileWaiting();
    } catch (error) {
      if (error instanceof ProblemError) return error;
      throw error;
    }
    const decision = rules.decide(req.method!, target!, caller!);
    return decision.outcome === 'insufficientScope' ? insufficientScope(decision.scope) : undefined;
  }
}
