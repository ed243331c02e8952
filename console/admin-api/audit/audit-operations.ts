/** `/api/v1/audit`: what has happened, who did it, and what led to it. Whoever reads it leaves an entry too. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { Entry } from '../../audit/entry.ts';
import type { Place } from '../../audit/index/entry-list.ts';
import type { LatestEntries } from '../../audit/reader/latest-entries.ts';
import type { NewestEntries } from '../../audit/reader/newest-entries.ts';
import type { AuditReader } from '../../audit/reader/questions.ts';
import { invalidInput } from '../../operations/input-check.ts';
import { type Cursors, defaultItems, listOf, listQuery } from '../../operations/lists.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { sortParameter } from '../../operations/sorted-lists.ts';
import { askedOf, entryFilters, filterOf } from './entry-filters.ts';
import { byId, type People, viewsOf } from './entry-people.ts';
import { exportEntries, followEntries, readPlace } from './entry-streams.ts';
import { auditReadEvent, entryId, entryView } from './entry-view.ts';
import { latestEntries } from './latest-entries.ts';
import { newestEntries } from './newest-entries.ts';

export interface AuditNeeds {
  readonly users: People;
  readonly auditReader: AuditReader;
  readonly latestEntries: LatestEntries;
  readonly newestEntries: NewestEntries;
  readonly cursors: Cursors;
  readonly auditEraser: AuditEraser;
}

/** Takes what an entry says out of the files and the index, when the entry that says so is on the disk. */
export interface AuditEraser {
  /** Absent where no console runs. */
  readonly erase?: (entry: Entry) => Promise<void>;
}

const formats = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  cef: 'text/plain; charset=utf-8',
};

export const auditOperations: readonly Operation<AuditNeeds>[] = [
  operation({
    id: 'listAuditEntries',
    method: 'GET',
    path: '/audit',
    summary: 'Lists entries of the audit, the newest first unless `sort` says otherwise.',
    description:
      'All filters that are given hold. A page looks at 5,000 entries at most, so it may be short.',
    access: 'observe',
    readEvent: auditReadEvent,
    query: listQuery({
      ...entryFilters,
      sort: sortParameter(['createdAt'], 'By default `-createdAt`: the newest first.'),
    }),
    answer: listOf(entryView),
    async run({ query }, { auditReader, cursors, users }: AuditNeeds) {
      const { limit = defaultItems } = query;
      const from = readCursor(cursors.read('listAuditEntries', query));
      const filter = filterOf(await byId(query, users));
      const isOldestFirst = query.sort === 'createdAt';
      const { entries, next, total } = await auditReader.ask('list', { filter, limit, from, isOldestFirst });
      const isAll = Object.values(filter).every((value) => value === undefined);
      return {
        body: {
          items: await viewsOf(entries, users),
          next: next ? cursors.write('listAuditEntries', query, JSON.stringify(next)) : null,
          count: isAll ? { value: total, isExact: true } : null,
        },
        asked: askedOf(query),
      };
    },
  }),
  latestEntries,
  newestEntries,
  operation({
    id: 'readAuditEntry',
    method: 'GET',
    path: '/audit/{auditEntry}',
    summary: 'Shows an entry of the audit.',
    access: 'observe',
    readEvent: auditReadEvent,
    params: z.strictObject({ auditEntry: entryId }),
    answer: entryView,
    async run({ params }, { auditReader, users }: AuditNeeds) {
      const entry = await entryOf(params.auditEntry, auditReader);
      const [body] = await viewsOf([entry], users);
      return { body, target: params.auditEntry };
    },
  }),
  operation({
    id: 'eraseAuditEntry',
    method: 'POST',
    path: '/audit/{auditEntry}/erase',
    summary:
      'Takes what one entry says out of the audit, where a law asks for it; its hash stays, so that the chain checks.',
    description:
      'Another entry says who has erased it and why. What is kept elsewhere stays: the log, what was sent on, exports, copies of the files.',
    access: 'write',
    isDangerous: true,
    event: 'audit.erased',
    hasVersion: false,
    params: z.strictObject({ auditEntry: entryId }),
    body: z.strictObject({
      reason: z.string().min(3).max(500).meta({ example: 'request of the person, 2026-11-22' }),
    }),
    problems: [409, 503],
    async run({ params, body: { reason } }, { auditReader, auditEraser }: AuditNeeds) {
      const entry = await entryOf(params.auditEntry, auditReader);
      const { erase } = auditEraser;
      if (!erase) {
        throw new ProblemError(problems.conflict, 'The console that writes the audit erases: start it.');
      }
      if (entry.event.startsWith('audit.')) {
        throw new ProblemError(problems.conflict, 'What the audit says of itself stays.');
      }
      const { writer, seq } = entry;
      return {
        target: params.auditEntry,
        said: { reason, writer, seq },
        afterEntry: () =>
          erase(entry).catch((cause: unknown) => {
            throw new ProblemError(problems.auditUnavailable, 'The entry is still there: ask again.', {
              cause,
            });
          }),
      };
    },
  }),
  operation({
    id: 'traceAuditEntries',
    method: 'GET',
    path: '/audit/trace/{id}',
    summary: 'Shows the entries of an id and what led to them, the oldest first.',
    description:
      'From the id of a decision, request, token, grant or session: its entries, and of each id that they have the ' +
      'first entry. So a refusal leads to the token, to the grant it is of, and to the sign-in.',
    access: 'observe',
    readEvent: auditReadEvent,
    params: z.strictObject({ id: z.string().min(1).max(512) }),
    answer: listOf(entryView),
    async run({ params: { id } }, { auditReader, users }: AuditNeeds) {
      const { entries } = await auditReader.ask('trace', { id });
      if (entries.length === 0) throw new ProblemError(problems.notFound, 'No entry has this id.');
      const count = { value: entries.length, isExact: true };
      return { body: { items: await viewsOf(entries, users), next: null, count }, asked: { id } };
    },
  }),
  operation({
    id: 'exportAudit',
    method: 'GET',
    path: '/audit/export',
    summary: 'Gives all entries that there are now, as JSON lines, CSV or CEF.',
    description:
      'Writer after writer, each in order. JSON lines are as they are stored, with check-points, and with the hash of ' +
      'each entry that was not asked for, so that the chain can be checked; CSV and CEF have what was asked for.',
    access: 'observe',
    readEvent: 'audit.exported',
    isLong: true,
    query: z.strictObject({
      format: z.enum(['jsonl', 'csv', 'cef']).exactOptional().meta({ description: 'By default `jsonl`.' }),
      ...entryFilters,
    }),
    answer: entryView,
    answerType: formats.jsonl,
    otherAnswerTypes: ['text/csv', 'text/plain'],
    async run({ query }, { auditReader, users }: AuditNeeds) {
      const { format = 'jsonl', ...filters } = query;
      return {
        stream: await exportEntries(auditReader, format, filterOf(await byId(filters, users))),
        headers: {
          'Content-Type': formats[format],
          'Content-Disposition': `attachment; filename="audit.${format}"`,
        },
        asked: askedOf(query),
      };
    },
  }),
  operation({
    id: 'followAudit',
    method: 'GET',
    path: '/audit/events',
    summary: 'Tells of entries as they are written: an event `entry` for each.',
    description: 'Ends after five minutes; with `after`, the last `id` that came, it goes on there.',
    access: 'observe',
    readEvent: 'audit.followed',
    isLong: true,
    query: z.strictObject({ after: z.string().max(65_536).exactOptional(), ...entryFilters }),
    answer: entryView,
    answerType: 'text/event-stream',
    async run({ query }, { auditReader, users }: AuditNeeds) {
      const { after: text, ...filters } = query;
      const after = text === undefined ? undefined : readPlace(text);
      if (text !== undefined && !after) {
        throw invalidInput([
          { pointer: '?after', code: 'invalid', detail: 'This is no id of an event here.' },
        ]);
      }
      const filter = filterOf(await byId(filters, users));
      const from = after ?? (await auditReader.ask('follow', { filter, waitMs: 0 })).after;
      return { stream: followEntries(auditReader, filter, from), asked: askedOf(query) };
    },
  }),
];

/** @throws {ProblemError} `not_found` */
async function entryOf(id: string, auditReader: AuditReader): Promise<Entry> {
  const [writer = '', seq] = id.split('-');
  const { entry } = await auditReader.ask('entry', { writer, seq: Number(seq) });
  if (entry) return entry;
  throw new ProblemError(problems.notFound, 'There is no entry of this id, or not any more.');
}

function readCursor(place: string | undefined): Place | undefined {
  return place === undefined ? undefined : (JSON.parse(place) as Place);
}
