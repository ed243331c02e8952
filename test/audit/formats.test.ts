/** Exports, with names and values of every kind in every field. */
import { expect, test } from 'vitest';
import { createEntryBody, type Entry, type EntryFields, entryLine } from '../../console/audit/entry.ts';
import { cefLine } from '../../console/audit/formats/cef.ts';
import { csvHead, csvRow } from '../../console/audit/formats/csv.ts';
import { entryColumns } from '../../console/audit/formats/entry-columns.ts';
import { framed, syslogMessage } from '../../console/audit/forward/syslog-message.ts';
import { start } from './support.ts';

const kinds = [
  'plain',
  '=1+1',
  '@cmd',
  '-2',
  '+3',
  '\t=x',
  'a,b;"c"',
  'line\nfeed\r\nreturn',
  'pipe|back\\slash=equals',
  '<134>1 forged - - -',
  '42 <134>1 frame',
  'Grüße 日本 😀',
  '\u202eright to left',
  '\u0000\u001b[31mred',
  '',
  ' ',
  '__proto__',
  "O'Brien",
  '\ud800 lone',
  '{"event":"forged"}',
  'x'.repeat(4000),
];

function entryWith(value: string): { readonly entry: Entry; readonly line: string } {
  const fields: EntryFields = {
    event: 'client.updated',
    outcome: 'denied',
    actor: { kind: 'user', id: value, session: value, via: 'page' },
    object: { kind: 'client', id: value },
    change: { [value === '' ? 'empty' : value]: { from: value, to: [value] } },
    source: value,
    requestId: value,
    client: value,
    member: value,
    permission: value,
    reason: value,
    decisionId: value,
    status: 403,
    ms: 1.5,
    detail: { note: value },
  };
  const line = entryLine('aaaa', 7, createEntryBody()(fields, start));
  return { entry: JSON.parse(line) as Entry, line };
}

test.each(kinds)('CSV keeps %j in its cell, and no spreadsheet takes it for a formula', (value) => {
  const { entry } = entryWith(value);
  const rows = readCsv(csvHead() + csvRow(entry));
  expect(rows).toHaveLength(2);
  expect(rows[1]).toHaveLength(entryColumns.length);
  for (const cell of rows[1]!) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
  const actor = rows[1]![entryColumns.indexOf('actorId')]!;
  const meant = typeof entry.actor?.id === 'string' ? entry.actor.id : JSON.stringify(entry.actor?.id);
  expect([meant, `'${meant}`]).toContain(actor);
});

test.each(kinds)('CEF with %j is one line of whole fields', (value) => {
  const { entry } = entryWith(value);
  const line = cefLine(entry, '1.0|\\x');
  expect(line).not.toMatch(/[\r\n]/);
  const head = line.split(/(?<!\\)\|/);
  expect(head.slice(0, 7)).toEqual([
    'CEF:0',
    'Cluster Console',
    'Cluster Console',
    '1.0\\|\\\\x',
    'client.updated',
    'client updated',
    '6',
  ]);
  const fields = readExtension(line);
  expect(fields.rt).toBe(String(start));
  expect(fields.outcome).toBe('denied');
  expect(fields.suser).toBe(
    typeof entry.actor!.id === 'string' ? entry.actor!.id : JSON.stringify(entry.actor!.id),
  );
  expect(fields.externalId).toBe('7');
  expect(JSON.parse(fields.msg!)).toMatchObject({ objectKind: 'client', via: 'page' });
});

test.each(kinds)('a syslog message with %j is one frame, and carries the line as it is stored', (value) => {
  const { entry, line } = entryWith(value);
  const host = value.slice(0, 300);
  const frame = framed(syslogMessage(entry, Buffer.from(line), host));
  const space = frame.indexOf(' ');
  expect(frame.length).toBe(space + 1 + Number(frame.toString('latin1', 0, space)));
  const message = frame.toString('utf8', space + 1);
  const [, name] =
    /^<108>1 \S+Z (\S+) cluster-console aaaa client\.updated \[meta sequenceId="7"\] /.exec(message) ?? [];
  expect(name).toMatch(/^[\x21-\x7e]{1,255}$/);
  expect(message.endsWith(` ${line}`)).toBe(true);
});

/** RFC 4180. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  let row: string[] = [];
  for (let found = cell.exec(text); found; found = cell.exec(text)) {
    row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

function readExtension(line: string): Readonly<Record<string, string>> {
  const extension = line
    .split(/(?<!\\)\|/)
    .slice(7)
    .join('|');
  const pairs = [...extension.matchAll(/(?:^| )(\w+)=((?:\\.|[^\\=])*?)(?= \w+=|$)/gs)];
  const meant: Readonly<Record<string, string>> = { n: '\n', r: '\r' };
  return Object.fromEntries(
    pairs.map(([, key, value]) => [key!, value!.replace(/\\(.)/gs, (_, one: string) => meant[one] ?? one)]),
  );
}
