/** Maps and queues: members tell none over REST, so the names are those that are known from elsewhere. */
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { useText } from '../../texts/elements.tsx';
import type { Translate } from '../../texts/text.ts';
import { type ListModel, ListPage } from '../list.tsx';

/** As the admin API has it. */
export interface ShownStructure {
  readonly id: string;
  readonly sources: readonly ('roles' | 'clients' | 'calls' | 'pinned')[];
  /** The day. */
  readonly lastCallOn: string | null;
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

export interface StructuresModel
  extends Pick<ListModel, 'frame' | 'count' | 'nextHref' | 'firstHref' | 'filters'> {
  readonly kind: StructureKind;
  readonly structures: readonly ShownStructure[];
}

const words = {
  map: { title: 'common.maps', empty: 'structures.noMapKnown' },
  queue: { title: 'common.queues', empty: 'structures.noQueueKnown' },
} as const;

export function renderStructures(model: StructuresModel): string {
  return renderDocument(<Structures {...model} />, model.frame.presentation);
}

function Structures({ kind, structures, ...list }: StructuresModel) {
  const t = useText();
  return (
    <ListPage
      {...list}
      title={t(words[kind].title)}
      about={t('structures.knownFromAbout')}
      before={<OpenByName kind={kind} />}
      columns={[
        { title: t('common.name') },
        { title: t('structures.knownFrom') },
        { title: t('structures.lastCall') },
      ]}
      rows={structures.map(({ id, sources, lastCallOn }) => ({
        key: id,
        cells: [
          <a key="name" href={structureHref(kind, id)}>
            <bdi>{id}</bdi>
          </a>,
          sourcesText(sources, t),
          lastCallText(lastCallOn, list.frame.now, t),
        ],
      }))}
      empty={<p>{t(words[kind].empty)}</p>}
    />
  );
}

const sourceWords = {
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
