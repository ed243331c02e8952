/** Numbers of calls over time, as parts of the page of what they are about. */
import { renderPart } from '../layout.tsx';
import { Text, useText } from '../texts/elements.tsx';
import { Part } from './detail.tsx';
import type { FrameModel } from './frame.tsx';
import { isNotRead, type LiveParts, type NotRead, NotReadPart } from './live/not-read.tsx';
import { Periods, type PeriodsModel } from './periods.tsx';
import { type PlotModel, Plots } from './plot.tsx';

export interface CallsShown {
  readonly plot: PlotModel;
  readonly fine: number;
  readonly denied: number;
  readonly failed: number;
  /** False: there may have been more. */
  readonly isWhole: boolean;
  /** The refusals one by one; undefined where there are none, or for who may not see them. */
  readonly whyHref: string | undefined;
  /** The calls of the last hour; undefined for who may not see them. */
  readonly href: string | undefined;
}

/** The calls of one client in 24 hours. */
export function CallsPart(model: CallsShown | NotRead) {
  const t = useText();
  if (isNotRead(model)) return <NotReadPart id="calls" title={t('numbers.callsOfADay')} {...model} />;
  const { plot, href, isWhole } = model;
  return (
    <Part id="calls" title={t('numbers.callsOfADay')} acts={<TrafficLink href={href} />}>
      <p>
        <Sums {...model} />
        {!isWhole && <> {t('numbers.notWhole')}</>}
      </p>
      <Plots plots={[plot]} />
    </Part>
  );
}

function Sums({ fine, denied, failed, whyHref }: CallsShown) {
  const t = useText();
  if (fine + denied + failed === 0) return <>{t('numbers.noCalls')}</>;
  if (whyHref === undefined) return <Text id="numbers.sums" gaps={{ fine, denied, failed }} />;
  const why = <a href={whyHref}>{t('numbers.why')}</a>;
  return <Text id="numbers.sumsAndWhy" gaps={{ fine, denied, failed, why }} />;
}

export interface NumbersShown extends PeriodsModel {
  readonly plots: readonly PlotModel[];
  /** The calls of the last hour; undefined for who may not see them. */
  readonly href: string | undefined;
}

/** Calls to one map or queue, and how it is used. */
export function NumbersPart(numbers: NumbersShown | NotRead) {
  const t = useText();
  if (isNotRead(numbers)) return <NotReadPart id="numbers" title={t('common.calls')} {...numbers} />;
  const { plots, href, ...periods } = numbers;
  const acts = (
    <>
      <Periods {...periods} />
      <TrafficLink href={href} />
    </>
  );
  return (
    <Part id="numbers" title={t('common.calls')} acts={acts}>
      <Plots plots={plots} />
    </Part>
  );
}

/** The same, as it goes on while the page is open. */
export function numbersParts(
  { presentation }: Pick<FrameModel, 'presentation'>,
  numbers: NumbersShown | NotRead | undefined,
): LiveParts {
  if (!numbers || isNotRead(numbers)) return numbers ? { numbers } : {};
  return { numbers: renderPart(<NumbersPart {...numbers} />, presentation) };
}

function TrafficLink({ href }: { readonly href: string | undefined }) {
  const t = useText();
  return href === undefined ? null : <a href={href}>{t('common.traffic')}</a>;
}
