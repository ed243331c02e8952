import type { Entry, Reading } from '../metrics/cluster.ts';
import type { Point } from '../metrics/history.ts';
import { numberIn } from '../metrics/sampler.ts';
import { CsrfField, ToConsole } from './layout.tsx';
import { Part } from './part.tsx';
import { LinePlot, type TimeAxis } from './plot.tsx';

interface EntryCardProps {
  readonly map: string;
  readonly entryKey: string;
  /** Null: there is no such entry. */
  readonly reading: Reading<Entry | null>;
  /** What it was, where it is a number; in parts where there is a gap. */
  readonly numbers: readonly (readonly Point[])[];
  readonly csrf: string;
  readonly axis: TimeAxis;
}

/** One entry of a map: what it is now, and for a number what it was. */
export function EntryCard({ map, entryKey, reading, numbers, csrf, axis }: EntryCardProps) {
  const id = Buffer.from(JSON.stringify([map, entryKey])).toString('base64url');
  return (
    <article class="card">
      <div class="card-head">
        <h3 class="name">
          <ToConsole path={['cluster', 'maps', map]}>{map}</ToConsole> /{' '}
          <ToConsole path={['cluster', 'maps', map, entryKey]}>{entryKey}</ToConsole>
        </h3>
        <form method="post" action="/entries/hide">
          <CsrfField csrf={csrf} />
          <input type="hidden" name="map" value={map} />
          <input type="hidden" name="key" value={entryKey} />
          <button
            class="button quiet small"
            type="submit"
            aria-label={`Hide the entry ${entryKey} of ${map}`}
          >
            Hide
          </button>
        </form>
      </div>
      <div data-live={`entry-${id}`} class="stack tight">
        <Part reading={reading}>
          {(entry) =>
            entry === null ? (
              <p class="muted">The map has no entry of this key.</p>
            ) : (
              <Value entry={entry} label={`${map} / ${entryKey}`} numbers={numbers} axis={axis} />
            )
          }
        </Part>
      </div>
    </article>
  );
}

function Value({
  entry,
  label,
  numbers,
  axis,
}: Pick<EntryCardProps, 'numbers' | 'axis'> & { readonly entry: Entry; readonly label: string }) {
  const number = numberIn(entry);
  return (
    <>
      {number === undefined ? (
        entry.text !== undefined && <pre class="value">{entry.text}</pre>
      ) : (
        <>
          <p class="figure">{new Intl.NumberFormat('en').format(number)}</p>
          <LinePlot parts={numbers} label={label} axis={axis} />
        </>
      )}
      <p class="muted small">{aboutEntry(entry)}</p>
    </>
  );
}

function aboutEntry({ type, bytes, text, isCut }: Entry): string {
  const size = bytes === undefined ? 'size not known' : `${new Intl.NumberFormat('en').format(bytes)} bytes`;
  const shown = text === undefined ? '; open it at the console to see it' : isCut ? '; its beginning' : '';
  return `${type ?? 'No type'}, ${size}${shown}`;
}
