/** What came of a run, module by module, as docs/conformance.md shows it. */
import { isForReview, known } from './known.ts';
import type { ModuleResult } from './suite/api.ts';

export interface Validated extends ModuleResult {
  readonly plan: string;
  /** Why it does not simply pass, when that is known. */
  readonly why?: string;
  readonly isFault: boolean;
}

export function validate(plan: string, result: ModuleResult): Validated {
  const found = known.find(
    (one) => one.module === result.module && one.result === result.result && (one.plan ?? plan) === plan,
  );
  const isFine = ['PASSED', isForReview].includes(result.result) || found !== undefined;
  return { ...result, plan, ...(found ? { why: found.why } : {}), isFault: !isFine };
}

/** One line while it runs; what went wrong beneath. */
export function line({ plan, module, result, isFault, remarks }: Validated): string {
  const said = isFault
    ? remarks.map(({ kind, source, message }) => `\n    ${kind} ${source}: ${message}`)
    : [];
  return `${isFault ? 'FAULT' : 'ok   '} ${plan}: ${module} ${result}${said.join('')}`;
}

export function markdown(results: readonly Validated[]): string {
  const plans = [...new Set(results.map(({ plan }) => plan))];
  return plans
    .map((plan) => {
      const rows = results.filter((one) => one.plan === plan).map(row);
      return `### ${plan}\n\n| Module | Result | Why |\n|---|---|---|\n${rows.join('\n')}\n`;
    })
    .join('\n');
}

function row({ module, variant, result, why = '' }: Validated): string {
  const auth = variant.client_auth_type === 'client_secret_post' ? ' (`client_secret_post`)' : '';
  const said = result === isForReview ? 'passed, page kept' : result.toLowerCase();
  return `| \`${module}\`${auth} | ${said} | ${why} |`;
}
