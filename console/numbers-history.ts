/** The history of the main numbers, of the process that owns the store. */
import type { Logger } from '../platform/log.ts';
import type { Services } from './app/services.ts';
import { type HistoryDeps, startHistory } from './metrics/history/record-history.ts';

/** @returns ends it */
export function startHistoryOf(
  { settings, users, clients, now }: Pick<Services, 'settings' | 'users' | 'clients' | 'now'>,
  log: Logger,
  readNumbers: HistoryDeps['readNumbers'],
): () => Promise<void> {
  const readTotals = async () => {
    const [countOfUsers, countOfClients] = await Promise.all([users.count(), clients.count()]);
    return { users: countOfUsers, clients: countOfClients };
  };
  return startHistory({ dataDir: settings.dataDir, readNumbers, readTotals, now, log });
}
