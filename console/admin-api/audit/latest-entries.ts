/** `/api/v1/audit/latest`: what an overview says of the audit, by one question that leaves one entry. */
import { z } from 'zod';
import type { LatestEntries } from '../../audit/reader/latest-entries.ts';
import { operation } from '../../operations/operation.ts';
import { view } from '../../operations/resource-fields.ts';
import { type People, viewsOf } from './entry-people.ts';
import { auditReadEvent, entryView } from './entry-view.ts';

interface LatestNeeds {
  readonly latestEntries: LatestEntries;
  readonly users: People;
}

const defaultEach = 5;
const mostRead = 20;

export const latestEntries = operation({
  id: 'readLatestEntries',
  method: 'GET',
  path: '/audit/latest',
  summary: 'Shows the latest denials, and the latest entries that say what they have changed.',
  access: 'observe',
  readEvent: auditReadEvent,
  query: z.strictObject({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(mostRead)
      .exactOptional()
      .meta({ description: `Of each; by default ${defaultEach}.` }),
  }),
  answer: view({ denials: z.array(entryView), changes: z.array(entryView) }).meta({ id: 'LatestEntries' }),
  async run({ query: { limit = defaultEach } }, { latestEntries: entries, users }: LatestNeeds) {
    const [denials, changes] = await Promise.all([
      entries.latest('denials', limit),
      entries.latest('changes', limit),
    ]);
    const views = await viewsOf([...denials, ...changes], users);
    return {
      body: { denials: views.slice(0, denials.length), changes: views.slice(denials.length) },
      asked: { latest: limit },
    };
  },
});
