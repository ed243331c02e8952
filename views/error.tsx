import { Link } from './elements/link.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import { type Crumb, type FrameModel, ManagementPage } from './management/frame.tsx';
import { type Presentation, usePresentation } from './presentation.ts';
import { Said, useText } from './texts/elements.tsx';
import type { WordKey } from './texts/text.ts';
import { saidIn } from './texts/text.ts';

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
  readonly actionLabel?: WordKey | undefined;
  readonly back?: WayBack | undefined;
  /** Of the page that could not be had, for who may open others. */
  readonly framed?: FramedError | undefined;
}

export interface FramedError {
  readonly frame: FrameModel;
  /** Pages above it. */
  readonly path: readonly Crumb[];
  /** Asks for the same once more. */
  readonly againHref?: string | undefined;
  /** Where it is said how members are. */
  readonly membersHref?: string | undefined;
}

/** A page of the same place that can be had. */
export interface WayBack {
  readonly href: string;
  /** Absent: it is the page of the thing itself. */
  readonly title?: WordKey;
}

export function renderError(model: ErrorModel, presentation?: Presentation): string {
  return renderDocument(<ErrorPage {...model} />, presentation);
}

function ErrorPage(model: ErrorModel) {
  const { language } = usePresentation();
  const { framed } = model;
  const title = saidIn(language, model.title) ?? model.title;
  if (!framed)
    return (
      <NarrowPage title={title} hasProblem>
        <ErrorText {...model} />
      </NarrowPage>
    );
  return (
    <ManagementPage frame={framed.frame} path={framed.path} title={title} hasProblem>
      <div class="narrow-work">
        <ErrorText {...model} />
      </div>
    </ManagementPage>
  );
}

/** What happened, what to do, where to go, and what to quote. */
function ErrorText({ status, code, detail, requestId, hint, back, framed, ...model }: ErrorModel) {
  const t = useText();
  const actionHref = back?.href ?? model.actionHref;
  const backLabel = back?.title ? t('error.backTo', { page: t(back.title) }) : t('error.back');
  const label = back ? backLabel : t(model.actionLabel ?? 'error.goOn');
  return (
    <>
      {detail !== `${model.title}.` && (
        <p class="lede">
          <Said>{detail}</Said>
        </p>
      )}
      {hint && (
        <p>
          <Said>{hint}</Said>
        </p>
      )}
      {actionHref && (
        <div class="actions">
          <Link href={actionHref} class="button primary">
            {label}
          </Link>
          {framed?.againHref && (
            <Link href={framed.againHref} class="button">
              {t('error.again')}
            </Link>
          )}
          {framed?.membersHref && (
            <Link href={framed.membersHref} class="button">
              {t('common.members')}
            </Link>
          )}
        </div>
      )}
      <dl class="facts">
        <div>
          <dt>{t('error.status')}</dt>
          <dd class="code">{status}</dd>
        </div>
        <div>
          <dt>{t('error.code')}</dt>
          <dd class="code">{code}</dd>
        </div>
        <div>
          <dt>{t('error.request')}</dt>
          <dd class="code select-all">{requestId}</dd>
        </div>
      </dl>
    </>
  );
}
