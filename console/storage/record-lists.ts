/** All users of a kind, a page at a time: nobody holds them together. */
import type { RecordStore, UserFilter } from './record-store.ts';
import type { ClientRecord, UserRecord } from './records.ts';

/** Changed together, in one commit; small enough that others wait for none of it. */
const pageSize = 100;

/** Who is taken out of the list meanwhile does not move it: it goes on behind the last one. */
export async function* pagesOfUsers(
  records: Pick<RecordStore, 'users'>,
  filter: UserFilter,
  limit = pageSize,
): AsyncGenerator<readonly UserRecord[], void> {
  let after: string | undefined;
  do {
    const page = await records.users({ ...filter, limit, after });
    yield page.records;
    after = page.next;
  } while (after !== undefined);
}

/** The same of clients whose ceiling has a role. */
export async function* pagesOfClients(
  records: Pick<RecordStore, 'clients'>,
  ceilingRole: string,
): AsyncGenerator<readonly ClientRecord[], void> {
  let after: string | undefined;
  do {
    const page = await records.clients({ ceilingRole, limit: pageSize, after });
    yield page.records;
    after = page.next;
  } while (after !== undefined);
}
