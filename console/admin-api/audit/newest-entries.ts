/** `/api/v1/audit/newest`: which entries have come, and nothing of what they say. */
import { z } from 'zod';
import { checkpointEvent } from '../../audit/checkpoint.ts';
import type { NewestEntries } from '../../audit/reader/newest-entries.ts';
import { operation } from '../../operations/operation.ts';
import { view } from '../../operations/resource-fields.ts';
import { entryFilters, filterOf } from './entry-filters.ts';
import { byId, type People } from './entry-people.ts';
import { auditReadEvent, entryId } from './entry-view.ts';

interface NewestNeeds {
  readonly newestEntries: Pick<NewestEntries, 'newest'>;
  readonly users: People;
}

const most = 200;
const defaultMost = 100;

export const newestEntries = operation({
  id: 'listNewestAuditEntries',
  method: 'GET',
  path: '/audit/newest',
  summary:
    'Names the newest entries of the audit by their ids, the newest first, for whoever counts what has come.',
  description: 'It shows nothing of what they say, and so leaves no entry.',
  access: 'observe',
  query: z.strictObject({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(most)
      .exactOptional()
      .meta({ description: `By default ${defaultMost}.` }),
    ...entryFilters,
  }),
  answer: view({
    items: z.array(
      view({
        id: entryId,
        isOfItself: z.boolean().meta({
          description: 'Whether the audit says it of itself: that it was read, or up to where it is signed.',
        }),
      }),
    ),
    isAll: z.boolean().meta({ description: 'False: there are older ones.' }),
  }).meta({ id: 'NewestEntries' }),
  async run({ query: { limit = defaultMost, ...asked } }, { newestEntries: audit, users }: NewestNeeds) {
    const { entries, isAll } = await audit.newest(filterOf(await byId(asked, users)), limit);
    return {
      body: {
        items: entries.map(({ id, event }) => ({
          id,
          isOfItself: event === auditReadEvent || event === checkpointEvent,
        })),
        isAll,
      },
    };
  },
});
