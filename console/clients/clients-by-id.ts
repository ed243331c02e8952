/** A page of all clients by their ids alone, one way or the other: those of the settings stand among the others. */
import { isInClientList } from '../storage/client-lists.ts';
import type { ClientFilter, Page, PageRequest, RecordStore, UserOrder } from '../storage/record-store.ts';
import type { ClientRecord } from '../storage/records.ts';

export interface ClientsByIdDeps {
  readonly records: Pick<RecordStore, 'clients'>;
  readonly ofSettings: Iterable<ClientRecord>;
}

/** Where a page begins. */
interface Place {
  /** In the store; absent: at its beginning. */
  readonly stored?: string | undefined;
  /** The last id that was given. */
  readonly id?: string | undefined;
}

/** @param request  without `beginning`: what finds by a beginning has an order of its own */
export async function clientsById(
  { limit, after, mostRead, isReversed = false, ...filter }: PageRequest & ClientFilter & UserOrder,
  { records, ofSettings }: ClientsByIdDeps,
): Promise<Page<ClientRecord>> {
  const from: Place = after === undefined ? {} : JSON.parse(after);
  const isBefore = (one: string, other: string) => one !== other && one < other !== isReversed;
  const own = [...ofSettings];
  const ids = new Set(own.map(({ id }) => id));
  const listed = (most: number) =>
    records.clients({ ...filter, limit: most, after: from.stored, mostRead, isReversed });

  const page = await listed(limit);
  const last = page.records.at(-1)?.id;
  // What stands behind the last one of this page comes with a later page, if there is one.
  const isDue = (id: string) => page.next === undefined || (last !== undefined && isBefore(id, last));
  const meant = own.filter(
    (client) =>
      (from.id === undefined || isBefore(from.id, client.id)) &&
      isDue(client.id) &&
      isInClientList(client, filter),
  );
  const all = [...page.records.filter(({ id }) => !ids.has(id)), ...meant].sort((one, other) =>
    isBefore(one.id, other.id) ? -1 : 1,
  );
  if (all.length <= limit) return { records: all, ...nextOf(page.next, all.at(-1)?.id ?? from.id) };
  const given = all.slice(0, limit);
  const end = given.at(-1)!.id;
  // Of the store's fewer than were read: where they end, it says itself.
  const stored = page.records.filter(({ id }) => !isBefore(end, id)).length;
  const place = stored === 0 ? from.stored : (await listed(stored)).next;
  return { records: given, next: JSON.stringify({ stored: place, id: end } satisfies Place) };
}

function nextOf(stored: string | undefined, id: string | undefined): { readonly next?: string } {
  return stored === undefined ? {} : { next: JSON.stringify({ stored, id } satisfies Place) };
}
