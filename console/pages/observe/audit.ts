/** `/observe/audit`: what has happened, who did it, and what led to it. */

import { randomUUID } from 'node:crypto';
import { ProblemError } from '../../../platform/errors.ts';
import type { QuickFilter } from '../../../views/management/filters.tsx';
import {
  outcomes,
  renderAudit,
  renderEntry,
  type ShownEntry,
} from '../../../views/management/observe/audit.tsx';
import { jobHref } from '../../../views/management/observe/jobs/job-address.ts';
import type { ShownJob } from '../../../views/management/observe/jobs/job-parts.tsx';
import type { ShownVerification } from '../../../views/management/observe/verification.tsx';
import type { Translate, WordKey } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import { auditFilters, auditPage } from '../listed-pages.ts';
import { filtersOf, type ListAnswer, liveOf, placesOf, queryOf, sortedQueryOf, sortingOf } from '../lists.ts';
import { type LiveList, mostNew } from '../live/new-items.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

const listHref = '/observe/audit';

export function createAuditPages(tools: PageTools) {
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const asked = sortedQueryOf(ctx.state.form, auditPage);
      const { body } = await tools.run<ListAnswer<ShownEntry>>(ctx, 'listAuditEntries', { query: asked });
      const filters = filtersOf(
        listHref,
        asked,
        undefined,
        [
          { name: 'outcome', label: t('audit.outcome'), options: outcomeOptions(t) },
          {
            name: 'changes',
            label: t('audit.entries'),
            options: [{ value: 'true', label: t('audit.allChanges') }],
          },
        ],
        t,
      );
      const texts = textFilters(t).map((text) => ({ ...text, value: asked[text.name] ?? '' }));
      const may = await tools.mayRun(ctx, ['verifyAudit']);
      const html = renderAudit({
        frame: await tools.frame(ctx),
        entries: body.items,
        verification: await verificationOf(ctx),
        csrf: tools.csrf(ctx),
        mayVerify: may.has('verifyAudit'),
        idempotencyKey: randomUUID(),
        notice: ctx.state.form.get('done') === 'verified' ? t('audit.verified') : undefined,
        filters: { ...filters, texts, quick: quickFilters(asked, t) },
        sorting: sortingOf(auditPage, asked),
        ...placesOf(listHref, asked, body),
        // From the oldest on, what has come since is at the end.
        ...(asked.sort !== 'createdAt' && liveOf(listHref, asked, body.items[0]?.id)),
      });
      tools.send(ctx, html);
    },
    /** What comes while the list is open. @param version  of what is written */
    newEntries: (version: LiveList['version']): LiveList => ({
      operation: 'listAuditEntries',
      version,
      isInOrderOfIds: false,
      async read(ctx) {
        const { cursor: _cursor, ...asked } = queryOf(ctx.state.form, auditFilters);
        const query = { ...asked, limit: String(mostNew + 1) };
        const { body } = await tools.run<NewestEntries>(ctx, 'listNewestAuditEntries', { query });
        // To read the page, and the next one, leaves such an entry: each page would be new to itself.
        return { ...body, items: body.items.map(({ id, isOfItself }) => ({ id, isQuiet: isOfItself })) };
      },
    }),
    /** `POST /observe/audit`: verifies it; one that is not over at once has a page of its own. */
    async verify(ctx: PageContext): Promise<void> {
      const idempotencyKey = ctx.state.form.get('idempotencyKey') ?? '';
      const { body: job } = await tools.run<ShownJob>(ctx, 'verifyAudit', { idempotencyKey, waitSeconds: 1 });
      tools.goTo(ctx, job.state === 'succeeded' ? `${listHref}?done=verified#verification` : jobHref(job.id));
    },
    async show(ctx: PageContext): Promise<void> {
      const params = { auditEntry: String(ctx.params.entry) };
      const { body: entry } = await tools.run<ShownEntry>(ctx, 'readAuditEntry', { params });
      tools.send(ctx, renderEntry({ frame: await tools.frame(ctx), entry }));
    },
  };

  /** The entries are there without it. */
  async function verificationOf(ctx: PageContext): Promise<ShownVerification | undefined> {
    try {
      return (await tools.run<ShownVerification>(ctx, 'readAuditVerification')).body;
    } catch (error) {
      if (error instanceof ProblemError) return undefined;
      throw error;
    }
  }
}

interface NewestEntries {
  readonly items: readonly { readonly id: string; readonly isOfItself: boolean }[];
  readonly isAll: boolean;
}

const outcomeOptions = (t: Translate) =>
  Object.entries(outcomes).map(([value, { word }]) => ({ value, label: t(word) }));

/** Each goes by one index of the audit, so that it is as fast among a million entries as among ten. */
const quick: readonly QuickAsked[] = [
  { label: 'audit.all', query: {} },
  { label: 'audit.refusals', query: { outcome: 'denied' } },
  { label: 'audit.failures', query: { outcome: 'failure' } },
  { label: 'audit.signIns', query: { event: 'login' } },
  { label: 'audit.allChanges', query: { changes: 'true' } },
  { label: 'common.users', query: { event: 'user.*' }, before: 'audit.changesOf' },
  { label: 'common.roles', query: { event: 'role.*' } },
  { label: 'audit.clients', query: { event: 'client.*' } },
  { label: 'common.identityProviders', query: { event: 'idp.*' } },
];

interface QuickAsked {
  readonly label: WordKey;
  readonly query: Readonly<Record<string, string>>;
  /** Of this one and those that follow. */
  readonly before?: WordKey;
}

function quickFilters(
  { cursor: _cursor, limit: _limit, sort, ...asked }: Readonly<Record<string, string>>,
  t: Translate,
): readonly QuickFilter[] {
  const order = sort === undefined ? {} : { sort };
  const now = new URLSearchParams(asked).toString();
  return quick.map(({ label, query, before }) => {
    const text = new URLSearchParams(query).toString();
    const address = new URLSearchParams({ ...query, ...order }).toString();
    const href = address === '' ? listHref : `${listHref}?${address}`;
    return { label: t(label), href, isCurrent: text === now, before: before && t(before) };
  });
}

const textFilters = (t: Translate) => [
  { name: 'actor', label: t('audit.whoById') },
  { name: 'event', label: t('audit.event'), example: 'client.*' },
  { name: 'object', label: t('audit.toWhat'), example: 'client:billing' },
  { name: 'joinedBy', label: t('audit.anyId') },
];
