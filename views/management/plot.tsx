/** Plots of numbers over time. The page has their points; a file of ours draws them, and without it they are tables. */

import { exactText, type Language } from '../elements/moment.ts';
import { usePresentation } from '../presentation.ts';
import { assetPath } from '../static.ts';
import { Text, useText } from '../texts/elements.tsx';
import { numberIn } from '../texts/text.ts';
import { Table } from './lists/table.tsx';

export interface PlotModel {
  /** Unique on the page; in the address of its table. */
  readonly id: string;
  readonly title: string;
  /** Behind a number: `/s`. */
  readonly unit: string;
  /** When the first point begins, epoch seconds. */
  readonly from: number;
  readonly stepSeconds: number;
  /** Point by point; null: nothing is known. */
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  /** As a table, and back. */
  readonly otherHref: string;
  readonly isTable: boolean;
}

/** @param plots  beside each other where there is room */
export function Plots({ plots }: { readonly plots: readonly PlotModel[] }) {
  return (
    <>
      <link rel="stylesheet" href={assetPath('plots.css')} />
      <script type="module" src={assetPath('plots.js')} />
      <div class="plots">
        {plots.map((plot) => (
          <Plot key={plot.id} {...plot} />
        ))}
      </div>
    </>
  );
}

function said(value: number | null | undefined, unit: string, language: Language): string {
  if (value === null || value === undefined) return '–';
  return `${numberIn(language, value, { maximumSignificantDigits: 3 })}${unit}`;
}

function Plot(plot: PlotModel) {
  const t = useText();
  const { id, title, unit, from, stepSeconds, lines, otherHref, isTable } = plot;
  const { language } = usePresentation();
  const most = mostOf(plot);
  const drawn = JSON.stringify({ from, step: stepSeconds, unit, lines, time: t('frame.time') });
  const ofWhich = <span class="unseen">: {title}</span>;
  return (
    <figure class="plot boxed" id={`plot-${id}`}>
      <figcaption>
        <span class="plot-title">{title}</span>
        <a class="plot-other" href={`${otherHref}#plot-${id}`}>
          <Text id={isTable ? 'frame.asPlot' : 'frame.asTable'} gaps={{ ofWhich }} />
        </a>
        <span class="plot-now">
          {most === undefined && <span class="muted">{t('frame.noFigures')}</span>}
          {(most === undefined ? [] : lines).map(({ name, values }) => (
            <span key={name}>
              {lines.length > 1 && `${name} `}
              <strong>
                {said(
                  values.findLast((value) => value !== null),
                  unit,
                  language,
                )}
              </strong>
            </span>
          ))}
          {most !== undefined && (
            <span class="muted">{t('frame.most', { plot: said(most, unit, language) })}</span>
          )}
        </span>
      </figcaption>
      {isTable ? <PlotTable {...plot} /> : <div class="plot-area" data-plot={drawn} />}
    </figure>
  );
}

function mostOf({ lines }: PlotModel): number | undefined {
  const known = lines.flatMap(({ values }) => values.filter((value) => value !== null));
  return known.length === 0 ? undefined : known.reduce((most, value) => Math.max(most, value));
}

/** The newest first. */
function PlotTable({ title, unit, from, stepSeconds, lines }: PlotModel) {
  const t = useText();
  const { zone, language } = usePresentation();
  const count = lines[0]?.values.length ?? 0;
  const points = Array.from({ length: count }, (_, at) => count - 1 - at);
  return (
    <Table
      title={title}
      columns={[
        { title: t('frame.time') },
        ...lines.map(({ name }) => ({
          title: `${name}${unit === '' ? '' : `, ${unit.trim()}`}`,
          isNumber: true,
        })),
      ]}
      rows={points.map((at) => {
        const moment = new Date((from + at * stepSeconds) * 1000);
        return {
          key: String(at),
          cells: [
            <time key="at" dateTime={moment.toISOString()}>
              {exactText(moment, zone)}
            </time>,
            ...lines.map(({ values }) => said(values[at], '', language)),
          ],
        };
      })}
    />
  );
}
