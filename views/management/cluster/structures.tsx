/** Maps and queues: members tell none over REST, so the names are those that are known from elsewhere. */
import { renderDocument } from '../../layout.tsx';
import { type ListModel, ListPage } from '../list.tsx';

/** As the admin API has it. */
export interface ShownStructure {
  readonly id: string;
  readonly sources: readonly ('roles' | 'clients' | 'calls')[];
  /** The day. */
  readonly lastCallOn: string | null;
}

export type StructureKind = 'map' | 'queue';

export function structureHref(kind: StructureKind, name: string): string {
  return `/cluster/${kind}s/${encodeURIComponent(name)}`;
}

export interface StructuresModel
  extends Pick<ListModel, 'frame' | 'count' | 'nextHref' | 'firstHref' | 'filters'> {
  readonly kind: StructureKind;
  readonly structures: readonly ShownStructure[];
}

const titles = { map: 'Maps', queue: 'Queues' } as const;

export function renderStructures({ kind, structures, ...list }: StructuresModel): string {
  return renderDocument(
    <ListPage
      {...list}
      title={titles[kind]}
      about={`Known from roles, machine clients and the calls of 30 days. Others may exist: members do not list them.`}
      before={<OpenByName kind={kind} />}
      columns={[{ title: 'Name' }, { title: 'Known from' }, { title: 'Last call' }]}
      rows={structures.map(({ id, sources, lastCallOn }) => ({
        key: id,
        cells: [
          <a key="name" href={structureHref(kind, id)}>
            <bdi>{id}</bdi>
          </a>,
          sourcesText(sources),
          lastCallText(lastCallOn, list.frame.now),
        ],
      }))}
      empty={<p>No {kind} is known yet. Open one by its name, or give a client access to it.</p>}
    />,
  );
}

export function sourcesText(sources: ShownStructure['sources']): string {
  const words = { roles: 'roles', clients: 'machine clients', calls: 'calls' } as const;
  const text = sources.map((source) => words[source]).join(', ') || 'nowhere';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A day is all that is counted by. */
export function lastCallText(lastCallOn: string | null, now: Date): string {
  if (lastCallOn === null) return 'None in 30 days';
  const day = lastCallOn.slice(0, 10);
  return day === now.toISOString().slice(0, 10) ? 'Today' : day;
}

function OpenByName({ kind }: { readonly kind: StructureKind }) {
  return (
    <form method="get" action={`/cluster/${kind}s`} class="filters">
      <div class="field">
        <label for="open">Open by name</label>
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
        Open
      </button>
    </form>
  );
}
