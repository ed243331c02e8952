/** Entries of a map by their keys, a row each. */

import { useText } from '../../texts/elements.tsx';
import { ListId } from '../list-id.tsx';
import { Table } from '../lists/table.tsx';
import { structureHref } from './structures.tsx';
import { sizeText } from './value.tsx';

export function entryHref(map: string, key: string): string {
  return `${structureHref('map', map)}/${encodeURIComponent(key)}`;
}

export interface FoundEntry {
  readonly key: string;
  readonly type: string | null;
  /** Its size; null: the map has no entry of this key. */
  readonly bytes: number | null;
  /** Why it could not be read. */
  readonly problem?: string | undefined;
}

export function Found({ map, found }: { readonly map: string; readonly found: readonly FoundEntry[] }) {
  const t = useText();
  return (
    <Table
      title={t('maps.entries')}
      columns={[
        { title: t('maps.key') },
        { title: t('maps.type') },
        { title: t('maps.size'), isNumber: true },
      ]}
      rows={found.map(({ key, type, bytes, problem }) => ({
        key,
        cells: [
          <a key="key" href={entryHref(map, key)}>
            <ListId>{key}</ListId>
          </a>,
          problem ??
            (bytes === null ? <span class="muted">{t('maps.noEntry')}</span> : (type ?? t('maps.noType'))),
          bytes === null ? '' : sizeText(bytes, t),
        ],
      }))}
    />
  );
}
