/** `/api/v1/audit/latest`: what an overview says of the audit, by one question that leaves one entry. */
import { z } from 'zod';
import type { AuditReader } from '../../audit/reader/questions.ts';
import { operation } from '../../operations/operation.ts';
import { view } from '../../operations/resource-fields.ts';
import { type People, viewsOf } from './entry-people.ts';
import { entryView } from './entry-view.ts';

interface LatestNeeds {
  readonly auditReader: AuditReader;
  readonly users: People;
}

/** Calls are most entries: what is changed is found by what it was done to. */
const changedKinds = ['user', 'client', 'role', 'idp'] as const;
const defaultEach = 5;
/** Of each kind: not every entry of an object has changed something. */
const mostRead = 20;

export const latestEntries = operation({
  id: 'readLatestEntries',
  method: 'GET',
  path: '/audit/latest',
  summary:
    'Shows the latest denials, and the latest changes of users, roles, clients and identity providers.',
  access: 'inspect',
  readEvent: 'audit.read',
  query: z.strictObject({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(mostRead)
      .exactOptional()
      .meta({ description: 'Of each; by default 5.' }),
  }),
  answer: view({ denials: z.array(entryView), changes: z.array(entryView) }).meta({ id: 'LatestEntries' }),
  async run({ query: { limit = defaultEach } }, { auditReader, users }: LatestNeeds) {
    const [denials, ...found] = await Promise.all([
      auditReader.ask('list', { filter: { outcome: 'denied' }, limit }),
      ...changedKinds.map((objectKind) =>
        auditReader.ask('list', { filter: { objectKind, outcome: 'success' }, limit: mostRead }),
      ),
    ]);
    const changes = found
      .flatMap(({ entries }) => entries)
      .filter(({ change }) => change !== undefined)
      .sort((one, other) => (one.time < other.time ? 1 : -1))
      .slice(0, limit);
    const views = await viewsOf([...denials.entries, ...changes], users);
    return {
      body: { denials: views.slice(0, denials.entries.length), changes: views.slice(denials.entries.length) },
      asked: { latest: limit },
    };
  },
});
