/** A map by its keys, and one entry. */
import { renderDocument } from '../../layout.tsx';
import { DetailPage, Done, Facts, Id, More, Part } from '../detail.tsx';
import type { FieldError } from '../fields.tsx';
import type { FrameModel } from '../frame.tsx';
import { Table } from '../list.tsx';
import { memberHref } from './members.tsx';
import { lastCallText, type ShownStructure, sourcesText, structureHref } from './structures.tsx';
import { GiveValue, type ShownValue, sizeText, Value, type ValueFields } from './value.tsx';

export function entryHref(map: string, key: string): string {
  return `${structureHref('map', map)}/${encodeURIComponent(key)}`;
}

const mapsPath = [{ title: 'Maps', href: '/cluster/maps' }];

export interface FoundEntry {
  readonly key: string;
  readonly type: string | null;
  /** Its size; null: the map has no entry of this key. */
  readonly bytes: number | null;
  /** Why it could not be read. */
  readonly problem?: string | undefined;
}

export interface MapModel {
  readonly frame: FrameModel;
  readonly map: ShownStructure;
  readonly mayChange: boolean;
  /** What was asked for, a line each. */
  readonly keys: string;
  /** Absent before anything was asked for. */
  readonly found?: readonly FoundEntry[] | undefined;
  readonly problem?: string | undefined;
  readonly notice?: string | undefined;
}

export function renderMap(model: MapModel): string {
  const { frame, map, mayChange, notice, problem, keys, found } = model;
  const href = structureHref('map', map.id);
  return renderDocument(
    <DetailPage
      frame={frame}
      path={mapsPath}
      title={map.id}
      about="Its entries are found by their keys: members neither count nor list them."
      notice={notice}
      problem={problem}
    >
      <Facts
        facts={[
          { name: 'Known from', value: sourcesText(map.sources) },
          {
            name: 'Last call through the console',
            value: lastCallText(map.lastCallOn, frame.now),
          },
        ]}
      />
      <Part
        id="entries"
        title="Entries"
        about="One key, up to 100 with a line each, or a range such as order-[1-50]."
      >
        <form method="get" action={`${href}#entries`} class="filters">
          <div class="field">
            <label for="keys">Keys</label>
            <textarea id="keys" name="keys" rows={3} autocapitalize="none" spellcheck={false} required>
              {`\n${keys}`}
            </textarea>
          </div>
          <button type="submit" class="button primary">
            Get
          </button>
        </form>
        {found && <Found map={map.id} found={found} />}
      </Part>
      {mayChange && <More acts={[{ label: 'Clear', href: `${href}?do=clear` }]} />}
    </DetailPage>,
  );
}

function Found({ map, found }: { readonly map: string; readonly found: readonly FoundEntry[] }) {
  return (
    <Table
      title="Entries"
      columns={[{ title: 'Key' }, { title: 'Type' }, { title: 'Size', isNumber: true }]}
      rows={found.map(({ key, type, bytes, problem }) => ({
        key,
        cells: [
          <a key="key" href={entryHref(map, key)}>
            <bdi>{key}</bdi>
          </a>,
          problem ?? (bytes === null ? <span class="muted">No entry</span> : (type ?? 'None')),
          bytes === null ? '' : sizeText(bytes),
        ],
      }))}
    />
  );
}

export interface EntryModel {
  readonly frame: FrameModel;
  readonly map: string;
  readonly key: string;
  /** Absent: there is none of this key. */
  readonly value?: ShownValue | undefined;
  /** That answered. */
  readonly member?: string | null | undefined;
  /** Of what was read. */
  readonly version?: string | undefined;
  readonly typed: ValueFields;
  readonly errors: readonly FieldError[];
  readonly csrf: string;
  readonly mayPut: boolean;
  readonly mayRemove: boolean;
  readonly notice?: EntryNotice | undefined;
  readonly warning?: string | undefined;
}

/** What was done, and the value that was there before, to put it back. */
export interface EntryNotice {
  readonly text: string;
  readonly former?: { readonly value: string; readonly type: string | null } | undefined;
}

export function renderMapEntry(model: EntryModel): string {
  const { frame, map, key, value, notice, errors, mayRemove } = model;
  const href = entryHref(map, key);
  return renderDocument(
    <DetailPage
      frame={frame}
      path={[...mapsPath, { title: map, href: structureHref('map', map) }]}
      title={key}
      about={value === undefined ? 'The map has no entry of this key.' : undefined}
      notice={notice && <PutBack {...model} notice={notice} />}
      problem={errors.length > 0 ? 'Nothing was stored.' : undefined}
    >
      {value && (
        <>
          <Facts
            facts={[
              { name: 'Key', value: <Id>{key}</Id> },
              { name: 'Type', value: <bdi>{value.type ?? 'None'}</bdi> },
              { name: 'Size', value: sizeText(value.bytes) },
              { name: 'Answered by', value: <Answering member={model.member} /> },
            ]}
          />
          <Part id="stored" title="Value">
            <Value {...value} href={href} />
          </Part>
        </>
      )}
      {model.mayPut && <Put {...model} />}
      {mayRemove && value && <More acts={[{ label: 'Remove', href: `${href}?do=remove` }]} />}
    </DetailPage>,
  );
}

function Answering({ member }: Pick<EntryModel, 'member'>) {
  if (!member) return <>Unknown</>;
  return (
    <a href={memberHref(member)}>
      <bdi>{member}</bdi>
    </a>
  );
}

function Put({ map, key, value, version, typed, errors, csrf }: EntryModel) {
  return (
    <Part
      id="put"
      title={value ? 'Put another value' : 'Put a value'}
      about={`It is stored only while the entry is as it is shown here. Members have no lock: a program may write at the same moment.${value && !value.isWhole ? ' What is there is too long to be edited here: what you type replaces all of it.' : ''}`}
    >
      <GiveValue
        action={entryHref(map, key)}
        hidden={{ csrf, do: 'put', ...(version !== undefined && { version }) }}
        typed={typed}
        errors={errors}
        button="Put"
      />
    </Part>
  );
}

function PutBack({ map, key, version, csrf, notice }: EntryModel & { readonly notice: EntryNotice }) {
  const { text, former } = notice;
  const hidden = {
    csrf,
    ...(version !== undefined && { version }),
    ...(former && { value: former.value, encoding: 'base64', type: former.type ?? '' }),
  };
  return (
    <Done text={text} undo={former && 'put'} label="Put back" action={entryHref(map, key)} hidden={hidden} />
  );
}
