/** Plots as SVG from the server: no script draws them, and a screen reader hears what they say. */
import { type ComponentChildren, Fragment } from 'preact';
import type { Point, Rate } from '../metrics/history.ts';

interface PlotProps {
  /** In parts where there is a gap. */
  readonly parts: readonly (readonly Point[])[];
  /** What the plot is of, for who cannot see it. */
  readonly label: string;
  readonly axis: TimeAxis;
}

export interface TimeAxis {
  /** Where it ends, epoch milliseconds. */
  readonly now: number;
  /** How much earlier it starts: whole minutes, or whole hours from two on. */
  readonly spanMs: number;
}

/** The drawing is stretched to its place: lines keep their width, and there is no text in it. */
const width = 300;
const height = 80;
const inset = 4;

/** Values from 0 up: a line with the area below it. */
export function LinePlot({ parts, label, axis }: PlotProps) {
  const points = parts.flat();
  const top = niceCeiling(Math.max(1, ...points.map(({ value }) => value)));
  const x = xScale(axis);
  const y = (value: number) => height - inset - (value / top) * (height - 2 * inset);
  const lineOf = (part: readonly Point[]) =>
    part.map(({ at, value }) => `${x(at)},${round(y(value))}`).join(' ');
  return (
    <Frame label={`${label}, ${spoken(points)}`} top={top} bottom={0} axis={axis}>
      <GridLines at={[y(top), y(top / 2), y(0)]} />
      {parts.map((part) => (
        <Fragment key={part[0]!.at}>
          {part.length > 1 && (
            <polygon
              class="plot-area"
              points={`${x(part[0]!.at)},${y(0)} ${lineOf(part)} ${x(part.at(-1)!.at)},${y(0)}`}
            />
          )}
          <polyline class="plot-line" points={lineOf(part)} />
        </Fragment>
      ))}
    </Frame>
  );
}

/** Values on both sides of 0: bars up for growth, down for decline, as wide as the time they tell about. */
export function RatePlot({
  points,
  label,
  axis,
}: Omit<PlotProps, 'parts'> & { readonly points: readonly Rate[] }) {
  const top = niceCeiling(Math.max(1, ...points.map(({ value }) => Math.abs(value))));
  const x = xScale(axis);
  const y = (value: number) => round(height / 2 - (value / top) * (height / 2 - inset));
  return (
    <Frame label={`${label}, ${spoken(points)}`} top={top} bottom={-top} axis={axis}>
      <GridLines at={[y(top), y(0), y(-top)]} />
      {points.map(({ at, from, value }) => (
        <rect
          key={at}
          class={value < 0 ? 'plot-fall' : 'plot-rise'}
          x={x(from)}
          width={round(Math.max(0.5, x(at) - x(from) - 0.5))}
          y={Math.min(y(0), y(value))}
          height={round(Math.abs(y(value) - y(0)))}
        />
      ))}
    </Frame>
  );
}

interface FrameProps {
  readonly label: string;
  readonly top: number;
  readonly bottom: number;
  readonly axis: TimeAxis;
  readonly children: ComponentChildren;
}

function Frame({ label, top, bottom, axis, children }: FrameProps) {
  return (
    <div class="plot">
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {children}
      </svg>
      <span class="plot-top" aria-hidden="true">
        {top}
      </span>
      <span class="plot-bottom" aria-hidden="true">
        {String(bottom).replace('-', '−')}
      </span>
      <span class="plot-times" aria-hidden="true">
        <span>{agoText(axis.spanMs)}</span>
        <span>now</span>
      </span>
    </div>
  );
}

function agoText(spanMs: number): string {
  const minutes = spanMs / 60_000;
  return minutes < 120 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}

function GridLines({ at }: { readonly at: readonly number[] }) {
  return at.map((y) => <line key={y} class="plot-grid" x1={0} x2={width} y1={round(y)} y2={round(y)} />);
}

function xScale({ now, spanMs }: TimeAxis): (at: number) => number {
  return (at) => round(Math.max(0, width - ((now - at) / spanMs) * width));
}

function spoken(points: readonly Point[]): string {
  const last = points.at(-1);
  if (!last) return 'nothing measured yet';
  const values = points.map(({ value }) => value);
  return `now ${round(last.value)}, between ${round(Math.min(...values))} and ${round(Math.max(...values))}`;
}

/** The next of 1, 2, 5, 10, 20, … so that the scale does not jump with every value. */
export function niceCeiling(value: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((factor) => value <= factor * magnitude) ?? 10;
  return step * magnitude;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
