/** The health check: how this installation is, with what puts it right. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { Ago } from '../ago.tsx';
import { Part } from '../detail.tsx';
import { type FrameModel, ManagementPage } from '../frame.tsx';
import { State, type StateKind } from '../state.tsx';
import { Findings, type ShownFinding } from './findings.tsx';

/** As the admin API has it. */
export interface ShownHealth {
  readonly state: ShownFinding['state'];
  readonly checkedAt: string;
  readonly findings: readonly ShownFinding[];
}

export interface HealthModel {
  readonly frame: FrameModel;
  readonly health: ShownHealth;
  readonly csrf: string;
  /** Pages that the reader may open. */
  readonly open: ReadonlySet<string>;
}

export const healthHref = '/observe/health';

const words: Readonly<Record<ShownFinding['state'], readonly [StateKind, string]>> = {
  ok: ['ok', 'Healthy'],
  warning: ['warn', 'Needs attention'],
  problem: ['danger', 'Something is wrong'],
};

export function renderHealth({ frame, health, csrf, open }: HealthModel): string {
  const { findings, checkedAt } = health;
  const [kind, word] = words[health.state];
  const of = (state: ShownFinding['state']) => findings.filter((finding) => finding.state === state);
  const wrong = [...of('problem'), ...of('warning')];
  return renderDocument(
    <ManagementPage
      frame={frame}
      title="Health check"
      state={<State kind={kind}>{word}</State>}
      acts={
        <>
          <a class="button" href={`${healthHref}/report`} download>
            Download report
          </a>
          <Form action={healthHref} hidden={{ csrf }}>
            <button type="submit" class="button primary">
              Run again
            </button>
          </Form>
        </>
      }
    >
      <p class="lede">
        Members, store, keys, licence, jobs and settings. Looked at{' '}
        <Ago at={new Date(checkedAt)} now={frame.now} />; to run it again asks each member whether it is
        ready.
      </p>
      {wrong.length > 0 && (
        <Part id="wrong" title={`Needs attention (${wrong.length})`}>
          <Findings findings={wrong} open={open} />
        </Part>
      )}
      {of('ok').length > 0 && (
        <Part id="fine" title={`Fine (${of('ok').length})`}>
          <Findings findings={of('ok')} open={open} />
        </Part>
      )}
      <p class="muted">
        <code>npx console doctor</code> also asks the application and the console’s own address, from where it
        is run.
      </p>
    </ManagementPage>,
  );
}
