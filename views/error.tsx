import { Link } from './elements/link.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import type { Presentation } from './presentation.ts';

/** An error as a page; the same code that JSON callers get. */
export interface ErrorModel {
  /** HTTP status of the response. */
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  /** What to quote when asking for help; the logs have it too. */
  readonly requestId: string;
  /** What the reader can do about it. */
  readonly hint?: string | undefined;
  readonly actionHref?: string | undefined;
  /** Text of the link to `actionHref`. */
  readonly actionLabel?: string | undefined;
}

export function renderError(model: ErrorModel, presentation?: Presentation): string {
  return renderDocument(<ErrorPage {...model} />, presentation);
}

function ErrorPage({ status, code, title, detail, requestId, hint, actionHref, actionLabel }: ErrorModel) {
  return (
    <NarrowPage title={title} hasProblem>
      <p class="lede">{detail}</p>
      {hint && <p>{hint}</p>}
      {actionHref && (
        <div class="actions">
          <Link href={actionHref} class="button primary">
            {actionLabel ?? 'Go on'}
          </Link>
        </div>
      )}
      <dl class="facts">
        <div>
          <dt>Status</dt>
          <dd class="code">{status}</dd>
        </div>
        <div>
          <dt>Code</dt>
          <dd class="code">{code}</dd>
        </div>
        <div>
          <dt>Request</dt>
          <dd class="code select-all">{requestId}</dd>
        </div>
      </dl>
    </NarrowPage>
  );
}
