import type { Licence } from '../licences.ts';
import { type Period, type Point, periods, type Rate } from '../metrics/history.ts';
import type { Snapshot } from '../metrics/sampler.ts';
import { EntryCard } from './entry-card.tsx';
import { Headline } from './headline.tsx';
import { CsrfField, Page, type SignedInModel } from './layout.tsx';
import { LicenceFacts } from './licence.tsx';
import { Members } from './members.tsx';
import { Part } from './part.tsx';
import { LinePlot, type TimeAxis } from './plot.tsx';
import { QueueCard } from './queue-card.tsx';

export interface OverviewModel {
  readonly currentSession: SignedInModel;
  readonly snapshot: Snapshot;
  /** Of the plots. */
  readonly period: Period;
  readonly plots: {
    readonly axis: TimeAxis;
    readonly connections: Series;
    /** Milliseconds. */
    readonly latency: Series;
    readonly queues: ReadonlyMap<string, { readonly sizes: Series; readonly rates: readonly Rate[] }>;
    /** Of entries that are numbers, in their order. */
    readonly entries: readonly Series[];
  };
  readonly licence: Licence | undefined;
  readonly isAdministrator: boolean;
  /** What was wrong with a form. */
  readonly problem: string | undefined;
}

/** In parts where there is a gap. */
type Series = readonly (readonly Point[])[];

const refreshSeconds = 10;

export function OverviewPage(model: OverviewModel) {
  const { currentSession, snapshot, problem } = model;
  return (
    <Page
      title={problem ? 'Problem: Overview' : 'Overview'}
      currentSession={currentSession}
      here="/"
      refreshSeconds={refreshSeconds}
    >
      <p class="stale" role="status">
        The dashboard does not answer at the moment. What you see may be old.
      </p>
      {problem && (
        <p class="message" role="alert">
          {problem}
        </p>
      )}
      <section class="summary" data-live="summary">
        <Headline {...snapshot} />
      </section>
      <section class="stack" aria-labelledby="load">
        <div class="heading">
          <h2 id="load">Load</h2>
          <Periods period={model.period} />
        </div>
        <div class="cards" data-live="load">
          <LoadCards {...model} />
        </div>
      </section>
      <section class="stack" aria-labelledby="queues">
        <div class="heading">
          <h2 id="queues">Queues</h2>
          <WatchForm {...currentSession} />
        </div>
        <Queues {...model} />
      </section>
      <section class="stack" aria-labelledby="maps">
        <div class="heading">
          <h2 id="maps">Maps</h2>
          <WatchEntryForm {...currentSession} />
        </div>
        <Entries {...model} />
      </section>
      <section class="stack" aria-labelledby="members">
        <h2 id="members">Members</h2>
        <div data-live="members">
          <Part reading={snapshot.facts}>{(facts) => <Members {...facts} />}</Part>
        </div>
      </section>
      <section class="stack" aria-labelledby="licence">
        <h2 id="licence">Licence</h2>
        <div data-live="licence">
          <LicenceFacts licence={model.licence} />
        </div>
      </section>
    </Page>
  );
}

function LoadCards({ snapshot: { facts, health }, plots }: OverviewModel) {
  return (
    <>
      <article class="card">
        <h3>Connections</h3>
        <Part reading={facts}>
          {({ connections }) => (
            <>
              <p class="figure">{connections}</p>
              <LinePlot parts={plots.connections} label="Connections" axis={plots.axis} />
            </>
          )}
        </Part>
      </article>
      <article class="card">
        <h3>Latency</h3>
        <Part reading={health}>
          {() => (
            <>
              <p class="figure">
                {Math.round(plots.latency.at(-1)?.at(-1)?.value ?? 0)}
                <span class="unit"> ms</span>
              </p>
              <LinePlot parts={plots.latency} label="Milliseconds for one call" axis={plots.axis} />
            </>
          )}
        </Part>
      </article>
    </>
  );
}

function Periods({ period }: Pick<OverviewModel, 'period'>) {
  return (
    <nav class="nav" aria-label="Period of the plots">
      {periods.map(({ id, label }) => (
        <a key={id} href={`/?period=${id}`} aria-current={id === period.id ? 'true' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}

function WatchEntryForm({ csrf }: Pick<SignedInModel, 'csrf'>) {
  return (
    <form method="post" action="/entries/watch" class="inline">
      <CsrfField csrf={csrf} />
      <label class="unseen" for="watch-map">
        Name of a map
      </label>
      <input id="watch-map" name="map" required maxLength={100} placeholder="Map" autocomplete="off" />
      <label class="unseen" for="watch-key">
        Key
      </label>
      <input id="watch-key" name="key" required maxLength={200} placeholder="Key" autocomplete="off" />
      <button class="button" type="submit">
        Show
      </button>
    </form>
  );
}

function Entries({ snapshot, plots, currentSession }: OverviewModel) {
  if (snapshot.entries.length === 0)
    return <p class="empty">No entry is shown. Type a map and a key above.</p>;
  return (
    <div class="cards">
      {snapshot.entries.map(({ map, key, reading }, at) => (
        <EntryCard
          key={JSON.stringify([map, key])}
          map={map}
          entryKey={key}
          reading={reading}
          numbers={plots.entries[at] ?? []}
          csrf={currentSession.csrf}
          axis={plots.axis}
        />
      ))}
    </div>
  );
}

function WatchForm({ csrf }: Pick<SignedInModel, 'csrf'>) {
  return (
    <form method="post" action="/queues/watch" class="inline">
      <CsrfField csrf={csrf} />
      <label class="unseen" for="watch">
        Name of a queue
      </label>
      <input
        id="watch"
        name="queue"
        required
        maxLength={100}
        placeholder="Name of a queue"
        autocomplete="off"
      />
      <button class="button" type="submit">
        Show
      </button>
    </form>
  );
}

function Queues({ snapshot, plots, currentSession, isAdministrator }: OverviewModel) {
  if (snapshot.queues.size === 0) return <p class="empty">No queue is shown. Type the name of one above.</p>;
  return (
    <div class="cards">
      {[...snapshot.queues].map(([name, size]) => (
        <QueueCard
          key={name}
          id={`queue-${Buffer.from(name).toString('base64url')}`}
          name={name}
          size={size}
          sizes={plots.queues.get(name)?.sizes ?? []}
          rates={plots.queues.get(name)?.rates ?? []}
          csrf={currentSession.csrf}
          canOffer={isAdministrator}
          axis={plots.axis}
        />
      ))}
    </div>
  );
}
