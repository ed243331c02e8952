/** What has become of an act on many, for the list that it was begun from. */
import type { OutcomeModel } from '../../../views/management/bulk/outcome.tsx';
import { jobHref } from '../../../views/management/observe/jobs/job-address.ts';
import { manyActs } from '../../admin-api/bulk-acts/acts.ts';
import { textFor } from '../../http/display/presentation.ts';
import { listed } from '../listed-pages.ts';
import { hrefsOf, type PageContext, type PageTools } from '../page-tools.ts';
import { type BulkAct, type BulkList, bulkActs } from './bulk-acts.ts';
import type { Meant } from './meant.ts';
import { ownBulkJob, undoAct } from './undo.ts';

const approvalsHref = '/access/approvals';

/** Of the list, with a job of it or without. */
export function listHrefWith(
  list: BulkList,
  query: Meant['query'],
  more: Readonly<Record<string, string>>,
): string {
  const { href } = listed[list];
  const text = new URLSearchParams({ ...query, ...more }).toString();
  return text === '' ? href : `${href}?${text}`;
}

/** @param id  of the job. @returns undefined for what is no act of the reader */
export async function outcomeOf(
  ctx: PageContext,
  { tools, list }: { readonly tools: PageTools; readonly list: BulkList },
  id: string | undefined,
  query: Meant['query'],
): Promise<OutcomeModel | undefined> {
  if (id === undefined) return undefined;
  const job = await ownBulkJob(ctx, tools, id);
  if (!job) return undefined;
  const { href } = listed[list];
  const hrefs = hrefsOf(tools.reader(ctx));
  return {
    job,
    said: saidOf(ctx, list, job),
    undo: job.undo
      ? {
          things: job.undo.things,
          action: href,
          hidden: { ...query, csrf: tools.csrf(ctx), do: undoAct, job: id },
          undoneHref: job.undo.undoneBy ? listHrefWith(list, query, { job: job.undo.undoneBy }) : undefined,
        }
      : undefined,
    href: listHrefWith(list, query, { job: id }),
    jobHref: hrefs.has('/observe/jobs') ? jobHref(id) : undefined,
    approvalsHref: hrefs.has(approvalsHref) ? approvalsHref : undefined,
    hrefOf: (thing) => `${href}/${encodeURIComponent(thing)}`,
  };
}

/** Of what was done without a question: what it was, and what it means. */
function saidOf(
  ctx: PageContext,
  list: BulkList,
  { kind, progress }: { readonly kind: string; readonly progress: { readonly total: number | null } },
): OutcomeModel['said'] {
  const t = textFor(ctx);
  const operation = manyActs.find(({ job }) => job === kind)?.operation;
  const all: readonly BulkAct[] = bulkActs[list];
  const act = all.find((one) => one.operation === operation);
  if (!act?.isAtOnce || progress.total === null) return undefined;
  return { title: t(act.title, { n: progress.total }), effects: act.effects.map((effect) => t(effect)) };
}
