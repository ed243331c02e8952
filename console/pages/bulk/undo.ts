/** What takes an act on many things back, on the list after it and on the page of its job. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { BulkJob, OwnBulkJob } from '../../../views/management/bulk/outcome.tsx';
import type { PageContext, PageTools } from '../page-tools.ts';

/** In the form. */
export const undoAct = 'undo';

/** Of the reader; undefined for any other, which is not spoken of. */
export async function ownBulkJob(
  ctx: PageContext,
  tools: PageTools,
  id: string,
): Promise<OwnBulkJob | undefined> {
  try {
    return (await tools.run<OwnBulkJob>(ctx, 'readBulkAct', { params: { bulkAct: id } })).body;
  } catch (error) {
    if (error instanceof ProblemError && error.problem === problems.notFound) return undefined;
    throw error;
  }
}

/** @returns the job that does it; undefined where there is nothing any more that could be taken back */
export async function undone(ctx: PageContext, tools: PageTools, id: string): Promise<string | undefined> {
  try {
    // What is quick is over by the time that its outcome is shown.
    const request = { params: { bulkAct: id }, body: {}, waitSeconds: 1 };
    return (await tools.run<BulkJob>(ctx, 'undoBulkAct', request)).body.id;
  } catch (error) {
    // Sent twice, or too late: the page says how it is.
    if (error instanceof ProblemError && error.problem === problems.conflict) return undefined;
    throw error;
  }
}
