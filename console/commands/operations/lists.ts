/** Lists of the API as commands print them: page after page, for as long as somebody reads. */
import { flags, type Input, type Reply, type ReplyPart, type Tools, UsageError } from '../runner/command.ts';
import { columns, table, widthsOf } from '../runner/output.ts';
import type { ApiRequest, OperationId } from './api-caller.ts';

/** What an answer of a list holds. */
interface Page<View> {
  readonly items: readonly View[];
  readonly next: string | null;
}

/** As many as an answer may have. */
const perPage = 500;

export const listFlags = flags({
  '[--search TEXT]':
    'only those of which a word begins so, in a name, an address or what else is printed of them',
  '[--limit N]': 'so many of them, instead of all',
  '[--all]': 'all of them, as without --limit',
});

export interface ListShown<View> {
  readonly headings: readonly string[];
  readonly row: (view: View) => readonly string[];
  /** Instead of a table without rows. */
  readonly none: string;
  readonly query?: ApiRequest['query'];
  readonly params?: ApiRequest['params'];
  /** The operation takes `q`: what is searched is found by an index. */
  readonly isSearchedThere?: boolean;
  /** Which of the items the command is about; all by default. */
  readonly isShown?: (view: View) => boolean;
}

/** The first page makes the columns' widths; what follows is read as it is printed. */
export async function listReply<View>(
  { api }: Pick<Tools, 'api'>,
  id: OperationId,
  input: Input,
  { headings, row, none, query = {}, params, isShown = () => true, isSearchedThere = false }: ListShown<View>,
): Promise<Reply> {
  const search = input.text('search');
  const q = isSearchedThere && search !== undefined ? { q: search } : {};
  const isFound = (view: View) => isSearchedThere || search === undefined || hasWord(row(view), search);
  const request = { query: { ...query, ...q }, ...(params && { params }) };
  const pages = upTo(
    amountOf(input),
    pagesOf<View>({ api }, id, request, (view) => isShown(view) && isFound(view)),
  );
  const { value: first = [] } = await pages.next();
  const rows = first.map(row);
  const widths = widthsOf([headings, ...rows]);
  return { text: table(headings, rows, none), json: first, rest: restOf(pages, row, widths) };
}

function hasWord(cells: readonly string[], beginning: string): boolean {
  const sought = beginning.toLowerCase();
  return cells.some((cell) => {
    const text = cell.toLowerCase();
    for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + 1)) {
      if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!)) return true;
    }
    return false;
  });
}

/** @throws {UsageError} */
function amountOf(input: Input): number {
  const text = input.text('limit');
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (input.has('all')) throw new UsageError('Say --limit or --all, not both.');
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError('--limit is a whole number, 1 or more.');
}

/** A page may be empty although others follow. */
async function* pagesOf<View>(
  { api }: Pick<Tools, 'api'>,
  id: OperationId,
  request: ApiRequest,
  isShown: (view: View) => boolean,
): AsyncGenerator<readonly View[], void> {
  let cursor: string | null = null;
  do {
    const query = { ...request.query, limit: perPage, ...(cursor !== null && { cursor }) };
    const page = (await api.call(id, { ...request, query })).body as Page<View>;
    const shown = page.items.filter(isShown);
    if (shown.length > 0) yield shown;
    cursor = page.next;
  } while (cursor !== null);
}

async function* upTo<View>(
  most: number,
  pages: AsyncGenerator<readonly View[], void>,
): AsyncGenerator<readonly View[], void> {
  let left = most;
  for await (const page of pages) {
    yield page.slice(0, left);
    left -= page.length;
    if (left <= 0) return;
  }
}

async function* restOf<View>(
  pages: AsyncGenerator<readonly View[], void>,
  row: (view: View) => readonly string[],
  widths: readonly number[],
): AsyncGenerator<ReplyPart, void> {
  for await (const page of pages) {
    yield { text: columns(page.map(row), widths), json: page };
  }
}
