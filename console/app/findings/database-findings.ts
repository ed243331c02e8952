/** How the database that consoles share is for this one, as it knows it without asking. */
import type { HealthFinding } from '../../admin-api/cluster/health.ts';
import type { Services } from '../services.ts';

/** What a console has dated ends early or late by then. */
const mostAheadMs = 5_000;
/** Changes of others are known within a second; whoever asks for the log of them gives up after some. */
const mostAgeMs = 10_000;

type Found = Pick<HealthFinding, 'state' | 'reason' | 'fix'>;

/** @returns nothing where there is none */
export function checkDatabase({ storage }: Pick<Services, 'storage'>): readonly HealthFinding[] {
  if (!storage.watch) return [];
  const { aheadMs, changesAgeMs, isListening, connections } = storage.watch();
  const found: Found[] = [];
  if (changesAgeMs > mostAgeMs)
    found.push({
      state: 'problem',
      reason: `What other consoles have changed is not known here for ${inSeconds(changesAgeMs)} s.`,
      fix: 'See to the database and to the network on the way to it.',
    });
  if (Math.abs(aheadMs) > mostAheadMs)
    found.push({
      state: 'warning',
      reason:
        aheadMs > 0
          ? `The clock of the database is ${inSeconds(aheadMs)} s ahead of that of this console.`
          : `The clock of the database is ${inSeconds(-aheadMs)} s behind that of this console.`,
      fix: 'Set both by NTP.',
    });
  if (connections.waiting > 0)
    found.push({
      state: 'warning',
      reason: `All ${connections.most} connections to the database are in use, and ${connections.waiting} requests wait for one.`,
      fix: 'See what the database is busy with; start further consoles if it is idle.',
    });
  if (!isListening && found.length === 0)
    found.push({
      state: 'warning',
      reason: 'The database does not tell of changes at once (LISTEN): they are looked for twice a second.',
      fix: 'See the log of this console; behind PgBouncer set CONSOLE_DATABASE_LISTEN_URL to the address of the database itself.',
    });
  if (found.length === 0)
    found.push({
      state: 'ok',
      reason: `${connections.open - connections.idle} of ${connections.most} connections are in use.`,
      fix: null,
    });
  return found.map((one) => ({
    check: 'database',
    ...one,
    ...(one.state !== 'ok' && { command: 'npx console doctor' }),
  }));
}

function inSeconds(ms: number): number {
  return Math.round(ms / 1000);
}
