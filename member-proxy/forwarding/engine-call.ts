/** What a call is at the real engine, where it is not the same as at the specification's member (docs/member-surface.md#other-names). */
import type { Rule } from '../authorization/rule-table.ts';
import type { Target } from '../request-target.ts';

export interface EngineCall {
  readonly method: string;
  /** Starts with `/svc`, as all targets here. */
  readonly sent: string;
}

/**
 * Names that the specification has and the engine has not become the engine's own. At its CP calls the end of the
 * target decides what is done, so it ends there as the rule has it: without a query, and without a slash behind it.
 *
 * @returns undefined where the engine gets the call as it came, which is nearly always
 */
export function engineCallOf(
  { template, group, atEngine }: Rule,
  method: string,
  { sent, path }: Target,
): EngineCall | undefined {
  if (atEngine !== undefined) {
    return { method: atEngine.method ?? method, sent: atEngine.path + sent.slice(template.length) };
  }
  if (group !== 'CP' || (sent.length === path.length && !path.endsWith('/'))) return undefined;
  return { method, sent: path.endsWith('/') ? path.slice(0, -1) : path };
}
