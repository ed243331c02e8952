/** An act that can be undone begins when its button is pressed: nothing is asked. */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { BulkJob } from '../../../views/management/bulk/outcome.tsx';
import type { PageContext, PageTools } from '../page-tools.ts';
import type { AtOnceAct, BulkList } from './bulk-acts.ts';
import { fixedOf, type Meant } from './meant.ts';

/** In the form of the list: the same form sent twice begins one job. */
export const formKeyName = 'formKey';

/** Twice at the same moment: the second one waits for the answer of the first. */
const askAgainMs = 200;
const mostAsked = 20;

/** What the operation gets. */
export function bodyOf({ operation }: { readonly operation: string }, meant: Meant, list: BulkList) {
  const { query, ids, isAll, count } = meant;
  return isAll ? { operation, query: { ...query, ...fixedOf(list) }, most: count } : { operation, ids };
}

/** @returns the job. @throws {ProblemError} */
export async function beginAtOnce(
  ctx: PageContext,
  tools: PageTools,
  act: AtOnceAct,
  meant: Meant,
  list: BulkList,
): Promise<BulkJob> {
  const body = bodyOf(act, meant, list);
  const formKey = ctx.state.form.get(formKeyName) ?? randomUUID();
  // The same page may begin another one, of other rows.
  const idempotencyKey = createHash('sha256')
    .update(JSON.stringify([formKey, body]))
    .digest('base64url');
  for (let asked = 1; ; asked++) {
    try {
      // What is quick is over by the time that the list is shown again.
      const request = { body, idempotencyKey, waitSeconds: 1 };
      return (await tools.run<BulkJob>(ctx, 'createBulkAct', request)).body;
    } catch (error) {
      const isInFlight = error instanceof ProblemError && error.problem === problems.idempotencyInProgress;
      if (!isInFlight || asked === mostAsked) throw error;
      await delay(askAgainMs);
    }
  }
}
