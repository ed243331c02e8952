/** The first ten minutes: what is done, what is open, and what was put off. */
import { Form } from '../../elements/form.tsx';
import { Link } from '../../elements/link.tsx';
import { renderDocument } from '../../layout.tsx';
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

const states: Readonly<Record<ShownStep['state'], readonly [StateKind, string]>> = {
  done: ['ok', 'Done'],
  open: ['unknown', 'Open'],
  later: ['off', 'Put off'],
};

export function renderStart(model: StartModel): string {
  const { frame, steps } = model;
  const done = steps.filter(({ state }) => state === 'done').length;
  return renderDocument(
    <ManagementPage
      frame={frame}
      title="Get started"
      state={
        <span class="count">
          {done} of {steps.length} done
        </span>
      }
    >
      <p class="lede">
        In any order, and left at any time: this page finds out what is done. What you put off is put off in
        this browser.
      </p>
      <ol class="rows boxed part start">
        {steps.map((step) => (
          <li key={step.id} id={step.id}>
            <Step {...model} step={step} />
          </li>
        ))}
      </ol>
    </ManagementPage>,
  );
}

function Step({ step, csrf, backupKey }: StartModel & { readonly step: ShownStep }) {
  const { id, title, about, state, found, link, command } = step;
  const [kind, word] = states[state];
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
          By command: <code class="select-all">{command}</code>
        </p>
      )}
      <div class="actions">
        {isBackup && (
          <Form action={startHref} hidden={{ csrf, do: 'backup', idempotencyKey: backupKey }}>
            <button type="submit" class="button">
              Take backup
            </button>
          </Form>
        )}
        {!isBackup && link && (
          <Link href={link.href} class="button">
            {link.label}
          </Link>
        )}
        {state !== 'done' && (
          <Form action={startHref} hidden={{ csrf, do: state === 'open' ? 'later' : 'resume', step: id }}>
            <button type="submit" class="button quiet">
              {state === 'open' ? 'Put off' : 'Take up again'}
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
  const done = steps.filter(({ state }) => state === 'done').length;
  return (
    <p class="boxed padded">
      <strong>Get started</strong>: {done} of {steps.length} steps are done.{' '}
      <a href={startHref}>Go on with the next one</a>, or put off what can wait.
    </p>
  );
}
