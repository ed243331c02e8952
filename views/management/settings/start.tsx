/** The first ten minutes: what is done, what is open, and what was put off. */

import { Form } from '../../elements/form.tsx';
import { Link } from '../../elements/link.tsx';
import { renderDocument } from '../../layout.tsx';
import { Text, useText } from '../../texts/elements.tsx';
import type { Translate } from '../../texts/text.ts';
import { type FrameModel, ManagementPage } from '../frame.tsx';
import { State, type StateKind } from '../state.tsx';

export interface ShownStep {
  readonly id: string;
  readonly title: string;
  /** What it is for. */
  readonly about: string;
  readonly state: 'done' | 'open' | 'later';
  /** What there is of it now. */
  readonly found: string;
  /** Where it is done. */
  readonly link?: { readonly label: string; readonly href: string } | undefined;
  readonly command?: string | undefined;
}

export interface StartModel {
  readonly frame: FrameModel;
  readonly steps: readonly ShownStep[];
  readonly csrf: string;
  /** Of the form that takes a backup; undefined for who may not. */
  readonly backupKey?: string | undefined;
}

export const startHref = '/settings/start';

/** Leads to the page that does it, which leads back. */
function stepHref(id: string): string {
  return `${startHref}?do=go&step=${id}`;
}

const states = (t: Translate): Readonly<Record<ShownStep['state'], readonly [StateKind, string]>> => ({
  done: ['ok', t('common.done')],
  open: ['unknown', t('start.open')],
  later: ['off', t('start.putOff')],
});

export function renderStart(model: StartModel): string {
  return renderDocument(<Start {...model} />, model.frame.presentation);
}

function Start(model: StartModel) {
  const t = useText();
  const { frame, steps } = model;
  const done = steps.filter(({ state }) => state === 'done').length;
  return (
    <ManagementPage
      frame={frame}
      title={t('common.getStarted')}
      state={<span class="count">{t('start.ofDone', { done, steps: steps.length })}</span>}
    >
      <p class="lede">{t('start.anyOrderLeftAny')}</p>
      <ol class="rows boxed part start">
        {steps.map((step) => (
          <li key={step.id} id={step.id}>
            <Step {...model} step={step} />
          </li>
        ))}
      </ol>
    </ManagementPage>
  );
}

function Step({ step, csrf, backupKey }: StartModel & { readonly step: ShownStep }) {
  const t = useText();
  const { id, title, about, state, found, link, command } = step;
  const [kind, word] = states(t)[state];
  const isBackup = id === 'backup' && state !== 'done' && backupKey !== undefined;
  return (
    <>
      <div class="part-head">
        <h2>{title}</h2>
        <State kind={kind}>{word}</State>
      </div>
      <p>{about}</p>
      <p class="muted">
        <bdi>{found}</bdi>
      </p>
      {command !== undefined && state !== 'done' && (
        <p>
          <Text id="start.byCommand" gaps={{ command: <code class="select-all">{command}</code> }} />
        </p>
      )}
      <div class="actions">
        {isBackup && (
          <Form action={startHref} hidden={{ csrf, do: 'backup', idempotencyKey: backupKey }}>
            <button type="submit" class="button">
              {t('start.takeBackup')}
            </button>
          </Form>
        )}
        {!isBackup && link && (
          <Link href={stepHref(id)} class="button">
            {link.label}
          </Link>
        )}
        {state !== 'done' && (
          <Form action={startHref} hidden={{ csrf, do: state === 'open' ? 'later' : 'resume', step: id }}>
            <button type="submit" class="button quiet">
              {state === 'open' ? t('start.putStepOff') : t('start.takeUpAgain')}
              <span class="unseen">: {title}</span>
            </button>
          </Form>
        )}
      </div>
    </>
  );
}

/** On the overview, until nothing is open any more. */
export function StartLine({ steps }: Pick<StartModel, 'steps'>) {
  const t = useText();
  const done = steps.filter(({ state }) => state === 'done').length;
  return (
    <p class="boxed padded">
      <Text
        id="start.stepsDonePutOff"
        gaps={{
          strong: <strong>{t('common.getStarted')}</strong>,
          done,
          steps: steps.length,
          link: <a href={startHref}>{t('start.goNextOne')}</a>,
        }}
      />
    </p>
  );
}
