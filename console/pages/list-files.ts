/** Lists as files: the whole query of a page, as the admin API answers it, and as a table for spreadsheets. */
import { Readable } from 'node:stream';
import type { ListFormat } from '../admin-api/http/list-file.ts';
import { auditFilters, type ListedPage } from './listed-pages.ts';
import { operationQueryOf, queryOf, sortedQueryOf } from './lists.ts';
import type { PageContext, PageTools } from './page-tools.ts';

/**
 * @param watch  whether who reads may go on reading, from now on
 * @param now    epoch milliseconds
 */
export function createListFiles(
  tools: PageTools,
  watch: (ctx: PageContext) => () => Promise<boolean>,
  now: () => number,
) {
  return {
    /** `GET /…/users.json` and `.csv`. */
    of: (page: ListedPage, format: ListFormat) => {
      const { href, operation } = page;
      const name = href.slice(href.lastIndexOf('/') + 1);
      return async (ctx: PageContext): Promise<void> => {
        const { cursor: _cursor, limit: _limit, ...query } = sortedQueryOf(ctx.state.form, page);
        const reading = { query: operationQueryOf(page, query), format, goesOn: watch(ctx) };
        const { type, text } = await tools.list(ctx, operation, reading);
        send(ctx, { name, format, type, text });
      };
    },
    /** `GET /observe/audit.jsonl` and `.csv`. */
    entries: (format: 'jsonl' | 'csv') => async (ctx: PageContext) => {
      const { cursor: _cursor, limit: _limit, ...query } = queryOf(ctx.state.form, auditFilters);
      const { stream, headers } = await tools.run(ctx, 'exportAudit', { query: { ...query, format } });
      send(ctx, { name: 'audit', format, type: headers!['Content-Type']!, text: stream! });
    },
  };

  function send(
    ctx: PageContext,
    file: { name: string; format: string; type: string; text: AsyncIterable<string> },
  ): void {
    tools.setHeaders(ctx);
    ctx.type = file.type;
    const day = new Date(now()).toISOString().slice(0, 10);
    ctx.set('Content-Disposition', `attachment; filename="${file.name}-${day}.${file.format}"`);
    ctx.body = Readable.from(file.text);
  }
}
