/** The health check: how this installation is, with what puts it right. */
import { Form } from '../../elements/form.tsx';
import { renderDocument, renderPart } from '../../layout.tsx';
import { Text, useText } from '../../texts/elements.tsx';
import type { WordKey } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { Part } from '../detail.tsx';
import { type FrameModel, ManagementPage } from '../frame.tsx';
import { Live } from '../live/live.tsx';
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
  return (
    <ManagementPage
      frame={frame}
      title={t('common.healthCheck')}
      state={<HealthState {...health} />}
      acts={
        <>
          <Live />
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
        {t('health.about')}
        {/* A line of its own: nothing moves when it says another time. */}
        <br />
        <Checked {...health} now={frame.now} />
      </p>
      <Found {...{ frame, health, open, may }} />
      <p class="muted">
        <Text id="health.doctor" gaps={{ command: <code>npx console doctor</code> }} />
      </p>
    </ManagementPage>
  );
}

interface HealthPartsModel extends Omit<HealthModel, 'frame' | 'csrf'> {
  readonly frame: Pick<FrameModel, 'presentation' | 'now'>;
}

/** What goes on while the page is open. */
export function healthParts(model: HealthPartsModel): Readonly<Record<string, string>> {
  const { frame, health } = model;
  return {
    'health-state': renderPart(<HealthState {...health} />, frame.presentation),
    checked: renderPart(<Checked {...health} now={frame.now} />, frame.presentation),
    found: renderPart(<Found {...model} />, frame.presentation),
  };
}

function HealthState({ state }: Pick<ShownHealth, 'state'>) {
  const t = useText();
  const [kind, word] = words[state];
  return (
    <span id="health-state" data-part="">
      <State kind={kind}>{t(word)}</State>
    </span>
  );
}

function Checked({ checkedAt, now }: Pick<ShownHealth, 'checkedAt'> & Pick<FrameModel, 'now'>) {
  return (
    <span id="checked" data-part="">
      <Text id="health.checkedAgo" gaps={{ ago: <Ago at={new Date(checkedAt)} now={now} /> }} />
    </span>
  );
}

function Found({ frame: { now }, health: { findings }, open, may }: HealthPartsModel) {
  const t = useText();
  const of = (state: ShownFinding['state']) => findings.filter((finding) => finding.state === state);
  const wrong = [...of('problem'), ...of('warning')];
  const fine = of('ok');
  return (
    <div id="found" class="parts">
      {wrong.length > 0 && (
        <Part id="wrong" title={t('health.attentionCount', { n: wrong.length })}>
          <Findings {...{ open, may, now }} findings={wrong} />
        </Part>
      )}
      {fine.length > 0 && (
        <Part id="fine" title={t('health.fineCount', { n: fine.length })}>
          <Findings {...{ open, may, now }} findings={fine} />
        </Part>
      )}
    </div>
  );
}
