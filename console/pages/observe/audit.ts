/** `/observe/audit`: what has happened, who did it, and what led to it. */

import {
  outcomes,
  renderAudit,
  renderEntry,
  type ShownEntry,
} from '../../../views/management/observe/audit.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import { auditFilters } from '../listed-pages.ts';
import { filtersOf, type ListAnswer, placesOf, queryOf } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

const listHref = '/observe/audit';

export function createAuditPages(tools: PageTools) {
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const asked = queryOf(ctx.state.form, auditFilters);
      const { body } = await tools.run<ListAnswer<ShownEntry>>(ctx, 'listAuditEntries', { query: asked });
      const filters = filtersOf(
        listHref,
        asked,
        undefined,
        [{ name: 'outcome', label: t('audit.outcome'), options: outcomeOptions(t) }],
        t,
      );
      const texts = textFilters(t).map(({ name, label }) => ({ name, label, value: asked[name] ?? '' }));
      const html = renderAudit({
        frame: await tools.frame(ctx),
        entries: body.items,
        filters: { ...filters, texts },
        ...placesOf(listHref, asked, body),
      });
      tools.send(ctx, html);
    },
    async show(ctx: PageContext): Promise<void> {
      const params = { auditEntry: String(ctx.params.entry) };
      const { body: entry } = await tools.run<ShownEntry>(ctx, 'readAuditEntry', { params });
      tools.send(ctx, renderEntry({ frame: await tools.frame(ctx), entry }));
    },
  };
}

const outcomeOptions = (t: Translate) =>
  Object.entries(outcomes).map(([value, { word }]) => ({ value, label: t(word) }));

const textFilters = (t: Translate) => [
  { name: 'actor', label: t('audit.whoById') },
  { name: 'event', label: t('audit.whatAs') },
  { name: 'object', label: t('audit.toWhatAs') },
  { name: 'joinedBy', label: t('audit.anyId') },
];
