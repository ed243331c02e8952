/** Pages of users: what leads through them is an index, so that a page costs the same however many there are. */
import { z } from 'zod';
import { mapWithPauses } from '../../../platform/async/pauses.ts';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { LockedNames } from '../../accounts/guessing/locked-names.ts';
import type { Users } from '../../accounts/users.ts';
import { type Cursors, countOfWhole, defaultItems, listOf, listQuery } from '../../operations/lists.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { foldedName } from '../../storage/name-keys.ts';
import type { UserRecord } from '../../storage/records.ts';
import { beginningOf, isInList } from '../../storage/user-lists.ts';
import { roleName, type ShownUserDeps, userStatus, userView, viewOf } from './user-form.ts';

export interface ListUsersNeeds extends ShownUserDeps {
  readonly users: Users;
  readonly lockedNames: LockedNames;
  readonly cursors: Cursors;
}

/** Records that one page looks at: some 10 ms. */
export const mostRead = 1000;

const query = listQuery({
  q: z
    .string()
    .min(1)
    .max(256)
    .exactOptional()
    .meta({ description: 'What the name or the e-mail address begins with, or the whole `subject`.' }),
  role: roleName.exactOptional(),
  eligibleRole: roleName
    .exactOptional()
    .meta({ description: 'Only those who may take this role for a while.' }),
  provider: z.string().min(1).max(64).exactOptional(),
  status: userStatus.exactOptional(),
  sort: z
    .enum(['id', '-id'])
    .exactOptional()
    .meta({ description: 'Only without a filter; the others come in the order of what finds them.' }),
});
type ListQuery = z.output<typeof query>;

export const listUsers: Operation<ListUsersNeeds> = operation({
  id: 'listUsers',
  method: 'GET',
  path: '/users',
  summary: 'Lists the users; a page may be short, and only the one without `next` is the last.',
  access: 'inspect',
  query,
  answer: listOf(userView),
  async run({ query: asked }, needs: ListUsersNeeds) {
    const { users, cursors, times } = needs;
    checkSort(asked);
    const after = cursors.read('listUsers', asked);
    const lockedNames = await needs.lockedNames.forPage();
    const page = await (asked.status === 'locked' ? lockedPage : pageOfUsers)(asked, after, needs);
    const shown = await mapWithPauses(page.records, (user) => viewOf(user, { times, lockedNames }));
    const items = asked.status === undefined ? shown : shown.filter(({ status }) => status === asked.status);
    const next = page.next === undefined ? null : cursors.write('listUsers', asked, page.next);
    const count = await countOf(asked, { users, lockedNames: needs.lockedNames });
    const whole = countOfWhole(items, { after, next: page.next });
    return { body: { items, next, count: count?.isExact ? count : (whole ?? count) } };
  },
});

interface UsersPage {
  readonly records: readonly UserRecord[];
  readonly next?: string | undefined;
}

async function pageOfUsers(
  asked: ListQuery,
  after: string | undefined,
  { users }: Pick<ListUsersNeeds, 'users'>,
): Promise<UsersPage> {
  const { limit = defaultItems, cursor: _cursor, q: beginning, sort, status, ...filter } = asked;
  const first = after === undefined ? await bySubject(asked, users) : [];
  const page = await users.list({
    ...filter,
    ...(status !== undefined && status !== 'locked' && { status }),
    ...(beginning !== undefined && { beginning }),
    limit: Math.max(1, limit - first.length),
    after,
    mostRead,
    isReversed: sort === '-id',
  });
  return { ...page, records: [...first, ...page.records] };
}

/** What leads is what is locked: few names, not all of which have an account. */
async function lockedPage(
  { limit = defaultItems, q, role, eligibleRole, provider }: ListQuery,
  after: string | undefined,
  { users, lockedNames }: Pick<ListUsersNeeds, 'users' | 'lockedNames'>,
): Promise<UsersPage> {
  const { names, next } = await lockedNames.page(limit, after);
  const found = await mapWithPauses(names, (name) => users.findByName(name));
  const filter = { role, eligibleRole, provider, ...(q !== undefined && { beginning: q }) };
  return { records: found.flatMap((user) => (user && isInList(user, filter) ? [user] : [])), next };
}

/** @throws {ProblemError} `invalid_request` */
function checkSort({ sort, q, role, eligibleRole, provider, status }: ListQuery): void {
  const filters = [q, role, eligibleRole, provider, status];
  if (sort === undefined || filters.every((filter) => filter === undefined)) return;
  throw new ProblemError(problems.invalidRequest, 'sort does not go together with a filter.');
}

/** Who is found by the subject alone; by the name too, the index has it. */
async function bySubject(
  { q, role, eligibleRole, provider, status }: ListQuery,
  users: Pick<Users, 'find'>,
): Promise<readonly UserRecord[]> {
  const found = q === undefined ? undefined : await users.find(q);
  if (!found || q === undefined || beginningOf(found, foldedName(q)) !== undefined) return [];
  const filter = { role, eligibleRole, provider, ...(status !== 'locked' && { status }) };
  return isInList(found, filter) ? [found] : [];
}

/** Where it is kept. */
async function countOf(
  { q, role, eligibleRole, provider, status }: ListQuery,
  { users, lockedNames }: Pick<ListUsersNeeds, 'users' | 'lockedNames'>,
) {
  if (status === 'locked') return null;
  const filters = Object.entries({ role, provider, status }).filter(([, value]) => value !== undefined);
  if (q !== undefined || eligibleRole !== undefined || filters.length > 1) return null;
  const by = Object.fromEntries(filters);
  const isExact = (await users.isCounted(by)) && !(status === 'active' && (await lockedNames.hasAny()));
  return { value: await users.count(by), isExact };
}
