import { Part } from './detail.tsx';
import { type PlotModel, Plots } from './plot.tsx';

export interface CallsShown {
  readonly plot: PlotModel;
  /** The same calls one by one. */
  readonly href: string;
}

/** Calls of one client, or to one map or queue. */
export function CallsPart({ plot, href }: CallsShown) {
  return (
    <Part id="calls" title="Calls of the last hour" acts={<a href={href}>Traffic</a>}>
      <Plots plots={[plot]} />
    </Part>
  );
}
