import type { Reading } from '../metrics/cluster.ts';
import type { Point, Rate } from '../metrics/history.ts';
import { CsrfField, ToConsole } from './layout.tsx';
import { Part } from './part.tsx';
import { LinePlot, RatePlot, type TimeAxis } from './plot.tsx';

interface QueueCardProps {
  /** Unique on the page. */
  readonly id: string;
  readonly name: string;
  readonly size: Reading<number>;
  /** In parts where there is a gap. */
  readonly sizes: readonly (readonly Point[])[];
  /** Items per second. */
  readonly rates: readonly Rate[];
  readonly csrf: string;
  readonly canOffer: boolean;
  readonly axis: TimeAxis;
}

/** One queue: how long it is, how fast that changes, and for an administrator a way to put something in. */
export function QueueCard(props: QueueCardProps) {
  const { id, name, size, csrf, canOffer } = props;
  return (
    <article class="card whole">
      <div class="card-head">
        <h3 class="name">
          <ToConsole path={['cluster', 'queues', name]}>{name}</ToConsole>
        </h3>
        <form method="post" action="/queues/hide">
          <CsrfField csrf={csrf} />
          <input type="hidden" name="queue" value={name} />
          <button class="button quiet small" type="submit" aria-label={`Hide the queue ${name}`}>
            Hide
          </button>
        </form>
      </div>
      <div data-live={id} class="stack tight">
        <Part reading={size}>{(value) => <Plots {...props} value={value} />}</Part>
      </div>
      {'value' in size &&
        (canOffer ? <OfferForm {...props} /> : <p class="muted small">The role Admin may offer items.</p>)}
    </article>
  );
}

function Plots({ name, value, sizes, rates, axis }: QueueCardProps & { readonly value: number }) {
  return (
    <div class="pair">
      <div class="stack tight">
        <p class="figure">
          {value}
          <span class="unit"> {value === 1 ? 'item' : 'items'}</span>
        </p>
        <LinePlot parts={sizes} label={`Items in ${name}`} axis={axis} />
      </div>
      <div class="stack tight">
        <p class="figure">
          {signed(rates.at(-1)?.value ?? 0)}
          <span class="unit"> items a second</span>
        </p>
        <RatePlot points={rates} label={`Change of ${name}, items a second`} axis={axis} />
      </div>
    </div>
  );
}

function OfferForm({ id, name, csrf }: QueueCardProps) {
  return (
    <form method="post" action="/queues/offer" class="inline">
      <CsrfField csrf={csrf} />
      <input type="hidden" name="queue" value={name} />
      <label class="unseen" for={`${id}-item`}>
        Item for {name}
      </label>
      <input id={`${id}-item`} name="item" required maxLength={1000} placeholder="Item" autocomplete="off" />
      <button class="button" type="submit">
        Offer
      </button>
    </form>
  );
}

function signed(rate: number): string {
  const rounded = Math.round(rate * 10) / 10;
  if (rounded === 0) return '0';
  return rounded > 0 ? `+${rounded}` : `−${-rounded}`;
}
