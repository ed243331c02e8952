/** Maps and queues: members tell none over REST, so the names are those that are known from elsewhere. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import { numberIn, type Translate } from '../../texts/text.ts';
import { type ListModel, ListPage } from '../list.tsx';
import { sizeText } from './value.tsx';

/** As the admin API has it. */
export interface ShownStructure {
  readonly id: string;
  readonly sources: readonly ('configuration' | 'roles' | 'clients' | 'calls' | 'pinned')[];
  /** The day. */
  readonly lastCallOn: string | null;
}

/** With keys of its last calls, the last ones first; null where none are kept. */
export interface ShownMap extends ShownStructure {
  readonly calledKeys: readonly { readonly id: string; readonly lastCallAt: string }[] | null;
}

/** With what its calls of the last hour came to; null where nothing is known of it. */
export interface ListedMap extends ShownStructure {
  readonly callsPerSecond: number | null;
  readonly hitShare: number | null;
  readonly meanValueBytes: number | null;
}

export interface ListedQueue extends ShownStructure {
  /** As it was asked last. */
  readonly size: number | null;
  readonly offersPerSecond: number | null;
  readonly pollsPerSecond: number | null;
  readonly pollsWaiting: number | null;
}

export type StructureKind = 'map' | 'queue';

export function structureHref(kind: StructureKind, name: string): string {
  return `/cluster/${kind}s/${encodeURIComponent(name)}`;
}

/** Items that a job has taken out of a queue. */
/** Of a reading of many keys of a map. */
export function readingHref(map: string, id: string): string {
  return `${structureHref('map', map)}/readings/${encodeURIComponent(id)}`;
}

export function drainHref(queue: string, id: string): string {
  return `${structureHref('queue', queue)}/drains/${encodeURIComponent(id)}`;
}

type StructuresState = Pick<
  ListModel,
  'frame' | 'count' | 'sorting' | 'nextHref' | 'firstHref' | 'filters' | 'files' | 'firstSnippets'
>;

export interface MapsModel extends StructuresState {
  readonly maps: readonly ListedMap[];
}

export interface QueuesModel extends StructuresState {
  readonly queues: readonly ListedQueue[];
}

export function renderMaps(model: MapsModel): string {
  return renderDocument(<Maps {...model} />, model.frame.presentation);
}

export function renderQueues(model: QueuesModel): string {
  return renderDocument(<Queues {...model} />, model.frame.presentation);
}

function Maps({ maps, ...list }: MapsModel) {
  const t = useText();
  return (
    <ListPage
      {...list}
      title={t('common.maps')}
      about={t('structures.knownFromAbout')}
      before={<OpenByName kind="map" />}
      columns={[
        { title: t('common.name'), sortBy: 'id' },
        { title: t('structures.callsPerSecond'), isNumber: true },
        { title: t('structures.hitShare'), isNumber: true },
        { title: t('structures.meanSize'), isNumber: true },
        { title: t('structures.knownFrom'), isNamed: true },
        { title: t('structures.lastCall'), isNamed: true, sortBy: 'lastCallOn' },
      ]}
      rows={maps.map((map) => ({
        key: map.id,
        cells: [
          <Name key="name" kind="map" id={map.id} />,
          rateText(map.callsPerSecond, t),
          shareText(map.hitShare, t),
          map.meanValueBytes === null ? '-' : sizeText(Math.round(map.meanValueBytes), t),
          sourcesText(map.sources, t),
          lastCallText(map.lastCallOn, list.frame.now, t),
        ],
      }))}
      empty={
        <p>
          {t('structures.mapsFor')} {t('structures.noMapKnown')}
        </p>
      }
    />
  );
}

function Queues({ queues, ...list }: QueuesModel) {
  const t = useText();
  return (
    <ListPage
      {...list}
      title={t('common.queues')}
      about={t('structures.knownFromAbout')}
      before={<OpenByName kind="queue" />}
      columns={[
        { title: t('common.name'), sortBy: 'id' },
        { title: t('numbers.items'), isNumber: true },
        { title: t('structures.offersPerSecond'), isNumber: true },
        { title: t('structures.pollsPerSecond'), isNumber: true },
        { title: t('numbers.waitingPolls'), isNumber: true },
        { title: t('structures.knownFrom'), isNamed: true },
        { title: t('structures.lastCall'), isNamed: true, sortBy: 'lastCallOn' },
      ]}
      rows={queues.map((queue) => ({
        key: queue.id,
        cells: [
          <Name key="name" kind="queue" id={queue.id} />,
          countText(queue.size, t),
          rateText(queue.offersPerSecond, t),
          rateText(queue.pollsPerSecond, t),
          countText(queue.pollsWaiting, t),
          sourcesText(queue.sources, t),
          lastCallText(queue.lastCallOn, list.frame.now, t),
        ],
      }))}
      empty={
        <p>
          {t('structures.queuesFor')} {t('structures.noQueueKnown')}
        </p>
      }
    />
  );
}

function Name({ kind, id }: { readonly kind: StructureKind; readonly id: string }) {
  return (
    <a href={structureHref(kind, id)}>
      <bdi>{id}</bdi>
    </a>
  );
}

/** Less is not worth its digits. */
const leastRate = 0.01;

function countText(count: number | null, t: Translate): string {
  return count === null ? '-' : numberIn(t.language, count);
}

function shareText(share: number | null, t: Translate): string {
  return share === null ? '-' : `${numberIn(t.language, share * 100, { maximumSignificantDigits: 3 })} %`;
}

function rateText(perSecond: number | null, t: Translate): string {
  if (perSecond === null) return '-';
  if (perSecond > 0 && perSecond < leastRate) return `< ${numberIn(t.language, leastRate)}`;
  return numberIn(t.language, perSecond, { maximumSignificantDigits: 2 });
}

const sourceWords = {
  configuration: 'structures.fromConfiguration',
  roles: 'structures.fromRoles',
  clients: 'structures.fromClients',
  calls: 'structures.fromCalls',
  pinned: 'pins.source',
} as const;

export function sourcesText(sources: ShownStructure['sources'], t: Translate): string {
  const text = sources.map((source) => t(sourceWords[source])).join(', ') || t('structures.nowhere');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A day is all that is counted by. */
export function lastCallText(lastCallOn: string | null, now: Date, t: Translate): string {
  if (lastCallOn === null) return t('structures.noneIn30Days');
  const day = lastCallOn.slice(0, 10);
  return day === now.toISOString().slice(0, 10) ? t('structures.today') : day;
}

function OpenByName({ kind }: { readonly kind: StructureKind }) {
  const t = useText();
  return (
    <form method="get" action={`/cluster/${kind}s`} class="filters">
      <div class="field">
        <label for="open">{t('structures.openByName')}</label>
        <input
          id="open"
          name="open"
          type="text"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required
          maxLength={200}
        />
      </div>
      <button type="submit" class="button">
        {t('structures.open')}
      </button>
    </form>
  );
}

/** For whoever reads its page, in their own list. */
export function PinButton({
  kind,
  structure: { id, sources },
  csrf,
}: {
  readonly kind: StructureKind;
  readonly structure: ShownStructure;
  readonly csrf: string;
}) {
  const t = useText();
  const isPinned = sources.includes('pinned');
  return (
    <Form action={structureHref(kind, id)} hidden={{ csrf, do: isPinned ? 'unpin' : 'pin' }}>
      <button type="submit" class="button">
        {isPinned ? t('pins.unpin') : t('pins.pin')}
      </button>
    </Form>
  );
}
