/** The health check: how this installation is, with what puts it right. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { Text, useText } from '../../texts/elements.tsx';
import type { WordKey } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { Part } from '../detail.tsx';
import { type FrameModel, ManagementPage } from '../frame.tsx';
import { State, type StateKind } from '../state.tsx';
import type { ShownFinding } from './finding-place.ts';
import { Findings } from './findings.tsx';

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
  /** Operations that the reader may run. */
  readonly may: ReadonlySet<string>;
}

export const healthHref = '/observe/health';

const words: Readonly<Record<ShownFinding['state'], readonly [StateKind, WordKey]>> = {
  ok: ['ok', 'health.healthy'],
  warning: ['warn', 'health.needsAttention'],
  problem: ['danger', 'health.wrong'],
};

export function renderHealth(model: HealthModel): string {
  return renderDocument(<Health {...model} />, model.frame.presentation);
}

function Health({ frame, health, csrf, open, may }: HealthModel) {
  const t = useText();
  const { findings, checkedAt } = health;
  const [kind, word] = words[health.state];
  const of = (state: ShownFinding['state']) => findings.filter((finding) => finding.state === state);
  const wrong = [...of('problem'), ...of('warning')];
  return (
    <ManagementPage
      frame={frame}
      title={t('common.healthCheck')}
      state={<State kind={kind}>{t(word)}</State>}
      acts={
        <>
          <a class="button" href={`${healthHref}/report`} download>
            {t('health.download')}
          </a>
          <Form action={healthHref} hidden={{ csrf }}>
            <button type="submit" class="button primary">
              {t('health.runAgain')}
            </button>
          </Form>
        </>
      }
    >
      <p class="lede">
        <Text id="health.about" gaps={{ ago: <Ago at={new Date(checkedAt)} now={frame.now} /> }} />
      </p>
      {wrong.length > 0 && (
        <Part id="wrong" title={t('health.attentionCount', { n: wrong.length })}>
          <Findings findings={wrong} open={open} may={may} now={frame.now} />
        </Part>
      )}
      {of('ok').length > 0 && (
        <Part id="fine" title={t('health.fineCount', { n: of('ok').length })}>
          <Findings findings={of('ok')} open={open} may={may} now={frame.now} />
        </Part>
      )}
      <p class="muted">
        <Text id="health.doctor" gaps={{ command: <code>npx console doctor</code> }} />
      </p>
    </ManagementPage>
  );
}
