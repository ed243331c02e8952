import { useText } from '../texts/elements.tsx';
import { Part } from './detail.tsx';
import { type PlotModel, Plots } from './plot.tsx';

export interface CallsShown {
  readonly plot: PlotModel;
  /** The same calls one by one. */
  readonly href: string;
}

/** Calls of one client, or to one map or queue. */
export function CallsPart({ plot, href }: CallsShown) {
  const t = useText();
  return (
    <Part id="calls" title={t('frame.callsLastHour')} acts={<a href={href}>{t('common.traffic')}</a>}>
      <Plots plots={[plot]} />
    </Part>
  );
}
