/** What has become of an act on many things. */

import { assetPath } from '../../static.ts';
import { Said, useText } from '../../texts/elements.tsx';
import { ListId } from '../list-id.tsx';
import { UndoButton } from '../undo.tsx';

/** The job that does it, as the admin API has it. */
export interface BulkJob {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly progress: { readonly done: number; readonly total: number | null };
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly problem: { readonly code: string; readonly detail: string } | null;
  readonly endedAt: string | null;
}

/** The same for whoever has begun it. */
export interface OwnBulkJob extends BulkJob {
  /** Null: there is nothing to take back. */
  readonly undo: { readonly things: number; readonly until: string; readonly undoneBy: string | null } | null;
}

export interface BulkResult {
  readonly operation: string;
  readonly done: number;
  readonly undoable: number;
  readonly waiting: number;
  readonly failed: number;
  readonly left: number;
  /** The first of them. */
  readonly failures: readonly { readonly id: string; readonly code: string; readonly detail: string }[];
}

export interface OutcomeModel {
  readonly job: BulkJob;
  /** Of what nobody was asked about: what it was, and what it means to them. */
  readonly said?: { readonly title: string; readonly effects: readonly string[] } | undefined;
  readonly undo?: UndoModel | undefined;
  /** Of the list with what there is of it by then. */
  readonly href?: string | undefined;
  /** Absent for who may not see jobs. */
  readonly jobHref?: string | undefined;
  readonly approvalsHref?: string | undefined;
  /** Of a thing of the list. */
  readonly hrefOf: (id: string) => string;
}

/** What takes an act on many back, or where that has been done. */
export interface UndoModel {
  readonly things: number;
  /** Takes the form. */
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  /** Of the outcome, where it was taken back. */
  readonly undoneHref?: string | undefined;
}

/** @param isForLong  on the page of the job, where it stands as long as it can be taken back */
export function Undo({
  things,
  action,
  hidden,
  undoneHref,
  isForLong,
}: UndoModel & { readonly isForLong?: boolean }) {
  const t = useText();
  if (undoneHref !== undefined)
    return (
      <p>
        <a href={undoneHref}>{t('bulk.undone')}</a>
      </p>
    );
  return (
    <>
      <p>{t('bulk.undoAbout', { n: things })}</p>
      <UndoButton action={action} hidden={hidden} isForLong={isForLong} />
    </>
  );
}

/** Whether one of them at least was refused. */
export function hasFailures({ result }: Pick<BulkJob, 'result'>): boolean {
  return Number(result?.failed ?? 0) > 0;
}

/** Above the list. */
export function Outcome(model: OutcomeModel) {
  const t = useText();
  const { job, said, jobHref, undo } = model;
  const isRunning = job.endedAt === null;
  const isPartly = hasFailures(job) && Number(job.result?.done) + Number(job.result?.waiting) > 0;
  const kind = job.problem !== null || hasFailures(job) ? 'problem' : 'notice';
  return (
    <section
      id="outcome"
      class={`message ${isPartly ? 'careful' : kind} outcome`}
      aria-labelledby="outcome-title"
      role="status"
      data-running={isRunning ? '' : undefined}
    >
      <h2 id="outcome-title" class={said ? undefined : 'unseen'}>
        {said?.title ?? t('bulk.outcome')}
      </h2>
      {job.problem && (
        <p>
          <Said>{job.problem.detail}</Said>
        </p>
      )}
      {isRunning ? <Running {...model} /> : <Counts {...model} effects={said?.effects} />}
      {undo && <Undo {...undo} />}
      {jobHref && (
        <p>
          <a href={jobHref}>{t('bulk.job')}</a>
        </p>
      )}
      {isRunning && <script type="module" src={assetPath('outcome.js')} />}
    </section>
  );
}

function Running({ job, href }: OutcomeModel) {
  const t = useText();
  const { done, total } = job.progress;
  return (
    <p>
      {total === null ? t('bulk.begun') : t('bulk.running', { done, n: total })}{' '}
      {href && <a href={href}>{t('drains.refresh')}</a>}
    </p>
  );
}

/** How many, and of those that were refused which and why. */
export function Counts({
  job,
  hrefOf,
  approvalsHref,
  effects = [],
}: Pick<OutcomeModel, 'job' | 'hrefOf' | 'approvalsHref'> & {
  /** On those to which it was done. */
  readonly effects?: readonly string[] | undefined;
}) {
  const t = useText();
  if (!job.result) return null;
  const { done, waiting, failed, left, failures } = job.result as unknown as BulkResult;
  return (
    <>
      {(done > 0 || failed + waiting + left === 0) && <p>{t('bulk.done', { n: done })}</p>}
      {done > 0 && effects.map((effect) => <p key={effect}>{effect}</p>)}
      {waiting > 0 && (
        <p>
          {approvalsHref ? (
            <a href={approvalsHref}>{t('bulk.waiting', { n: waiting })}</a>
          ) : (
            t('bulk.waiting', { n: waiting })
          )}
        </p>
      )}
      {failed > 0 && <p>{t('bulk.failed', { n: failed })}</p>}
      {failures.length > 0 && (
        <ul>
          {failures.map(({ id, detail }) => (
            <li key={id}>
              <a href={hrefOf(id)}>
                <ListId>{id}</ListId>
              </a>
              {': '}
              <Said>{detail}</Said>
            </li>
          ))}
        </ul>
      )}
      {failed > failures.length && (
        <p>
          <a href={`/observe/audit?joinedBy=${encodeURIComponent(job.id)}&outcome=denied`}>
            {t('bulk.allFailures')}
          </a>
        </p>
      )}
      {left > 0 && <p>{t('bulk.left', { n: left })}</p>}
    </>
  );
}
