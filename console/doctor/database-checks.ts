/** The database that holds the store: how it is, as the console sees it. */
import { sizeInWords } from '../../platform/files/size-in-words.ts';
import type { DatabaseState } from '../storage/shared-store.ts';
import { about, type Finding } from './finding.ts';

const say = about('database');

const oldestVersion = 150_000;
/** A sign-in asks some twenty times. */
const longMs = 20;
/** More of its clock than of ours: what was dated ends early or late. */
const mostAheadMs = 5_000;
/** What a replica that takes over would not have. */
const longLagMs = 10_000;
const mostNamed = 4;

export function checkDatabase(database: DatabaseState): readonly Finding[] {
  const { version, versionNumber, latencyMs, aheadMs, lagMs, hasChecksums, connections } = database;
  return [
    versionNumber < oldestVersion
      ? say.warning(`It is PostgreSQL ${version}, with which the console is not tried.`, 'Use 15 or newer.')
      : say.ok(describe(database)),
    ...(latencyMs > longMs
      ? [
          say.warning(
            `It takes ${latencyMs.toFixed(1)} ms to answer, some twenty times for a sign-in.`,
            'Put the console near to it, or see what it is busy with.',
          ),
        ]
      : []),
    ...(Math.abs(aheadMs) > mostAheadMs
      ? [
          say.warning(
            `Its clock is ${Math.abs(aheadMs)} ms ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the console.`,
            'Set both by NTP.',
          ),
        ]
      : []),
    ...(lagMs !== null && lagMs > longLagMs
      ? [
          say.warning(
            `A replica is ${Math.round(lagMs / 1000)} s behind: if it took over now, sign-ins of that time would be lost.`,
            'See to its network and its disk.',
          ),
        ]
      : []),
    ...(connections.waiting > 0
      ? [
          say.warning(
            `All ${connections.most} connections of the console are in use, and ${connections.waiting} calls wait for one.`,
            'See what the database is busy with; start further consoles if it is idle.',
          ),
        ]
      : []),
    ...(hasChecksums
      ? []
      : [
          say.warning(
            'It has no checksums: a page that its disk gives back damaged would go unnoticed.',
            'pg_checksums --enable, while the database is stopped.',
          ),
        ]),
  ];
}

function describe({
  version,
  form,
  latencyMs,
  aheadMs,
  replicas,
  lagMs,
  tables,
  connections,
}: DatabaseState) {
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  const largest = tables.slice(0, mostNamed).map(({ name, bytes: own }) => `${name} ${sizeInWords(own)}`);
  const behind = lagMs === null ? 'how far behind is not known' : `${Math.round(lagMs)} ms behind at most`;
  return [
    `PostgreSQL ${version} answers in ${latencyMs.toFixed(1)} ms, its clock differs by ${Math.abs(aheadMs)} ms.`,
    `Form ${form} of the tables, ${sizeInWords(bytes)}: ${largest.join(', ')}.`,
    replicas === 0 ? 'No replica is known.' : `Replicas: ${replicas}, ${behind}.`,
    `${connections.open} of ${connections.most} connections are open.`,
  ].join(' ');
}
