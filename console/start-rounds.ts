/** What the process that owns the store does again and again, besides what it owes to others. */
import type { Closing } from '../platform/closing.ts';
import type { Audit, Logger } from '../platform/log.ts';
import type { AskMember } from '../platform/member-call.ts';
import { startElevationEnds } from './app/elevation-ends.ts';
import type { Services } from './app/services.ts';
import { startSharedReports } from './app/shared-reports.ts';
import { startMetadataRefresh } from './federation/saml/metadata-refresh-rounds.ts';
import { startMaintenance } from './maintenance.ts';
import { createQueueSizes } from './members/queue-sizes.ts';
import { sumOfMinutes } from './metrics/call-history/minute-of-calls.ts';
import { type CallHistoryDeps, startCallHistory } from './metrics/call-history/record-call-history.ts';
import { type HistoryDeps, startHistory } from './metrics/history/record-history.ts';
import { whileLeading } from './storage/engine/while-leading.ts';

export interface RoundsDeps {
  readonly services: Services;
  readonly audit: Audit;
  readonly log: Logger;
  readonly closing: Closing;
  /** Of this console, for the history of numbers. */
  readonly readNumbers: HistoryDeps['readNumbers'];
  /** For that of calls. */
  readonly readMinute: CallHistoryDeps['readMinute'];
  readonly askMember: AskMember;
}

export interface Rounds {
  /** Before the other processes end: what they know is asked once more. */
  settle(): Promise<void>;
}

export function startRounds(deps: RoundsDeps): Rounds {
  const { services, audit, log, closing } = deps;
  const { settings, users, clients, reports, now } = services;
  const readNumbers = async () => new Map([...(await deps.readNumbers()), ...reports.numbers()]);
  const readMinute = async (minute: number) =>
    sumOfMinutes([await deps.readMinute(minute), reports.minute(minute)]);
  const readTotals = async () => {
    const [countOfUsers, countOfClients] = await Promise.all([users.count(), clients.count()]);
    return { users: countOfUsers, clients: countOfClients };
  };
  const { dataDir } = settings;
  const { storage } = services;
  closing.add(
    'ends of elevations',
    whileLeading(storage, () => startElevationEnds({ ...services, audit, log })),
  );
  closing.add(
    'maintenance',
    whileLeading(storage, () => startMaintenance(services, log)),
  );
  closing.add('files of queue items', services.itemFiles.startSweeping(log));
  closing.add('history of numbers', startHistory({ dataDir, readNumbers, readTotals, now, log }));
  const queueSizes = createQueueSizes({ ask: deps.askMember });
  const calls = startCallHistory({ dataDir, readMinute, ...queueSizes, now, log });
  closing.add('calls of a day', calls.close);
  closing.add('sizes of queues', queueSizes.close);
  closing.add('reports to other consoles', startSharedReports({ ...services, ...deps }));
  closing.add(
    'metadata of identity providers',
    whileLeading(storage, () => startMetadataRefresh({ ...services, audit, log })),
  );
  return { settle: calls.close };
}
