/** What a start does before anybody is answered. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Closing } from '../platform/closing.ts';
import { ProblemError } from '../platform/errors.ts';
import type { Audit, Logger } from '../platform/log.ts';
import { newSetupToken } from './accounts/setup.ts';
import { directoryStateOf } from './app/directory-state.ts';
import type { Services } from './app/services.ts';
import { inspectClients } from './clients/client-excess.ts';
import { storedSecret } from './keys/stored-secret.ts';
import { whileLeading } from './storage/engine/while-leading.ts';
import { type Storage, StorageUnavailableError } from './storage/storage.ts';

export async function createFirstAdministrator({ settings, users }: Services): Promise<void> {
  const { adminUsername: username, adminPassword } = settings;
  if (username === undefined || adminPassword === undefined || (await users.hasAny())) return;
  const first = { username, password: adminPassword.reveal(), roles: ['Admin'] };
  await users.add(first, { isFirst: true }).catch(async (error: unknown) => {
    // Another console on the same database has made one meanwhile.
    if (!(error instanceof ProblemError) || !(await users.hasAny())) throw error;
  });
}

const setupTokenId = 'setup-token';

/**
 * What the link to the first set-up proves: of this start; where several consoles share a store, of all of them, since the
 * link that one has printed is opened at another.
 */
export async function setupTokenOf({ storage, cipher, users }: Services): Promise<string> {
  const { registry, leadership } = storage;
  if (!leadership) return newSetupToken();
  if (!(await users.hasAny())) return storedSecret({ registry, cipher }, setupTokenId);
  // It opens nothing any more.
  if (registry.get('settings', setupTokenId)) {
    await registry.update((transaction) => {
      transaction.remove('settings', setupTokenId);
    });
  }
  return newSetupToken();
}

const patienceMs = 15_000;
const betweenMs = 250;

/**
 * Several consoles that start at once, on a machine that is busy with that, wait for one another at their database: what
 * it does not answer in time is asked again.
 *
 * @param work  may be done twice
 */
export async function untilAnswered<T>(
  { leadership }: Pick<Storage, 'leadership'>,
  work: () => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isAway = error instanceof StorageUnavailableError && leadership !== undefined;
      if (!isAway || performance.now() - begun > patienceMs) throw error;
      await pause(betweenMs);
    }
  }
}

/** All of them to their end, so that nothing goes on behind a start that has failed. */
export async function allOf<T extends readonly unknown[] | []>(work: T) {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** With more clients a start does not look at them: the doctor does. */
const mostInspected = 1_000;
const inspectionMs = 200;

/** No warning: whether it is needed, the administrator knows. */
export async function reportExcess({ clients, settings, now }: Services, log: Logger): Promise<void> {
  if ((await clients.count()) > mostInspected) return;
  const isDashboardDefault = settings.origins.applicationAddresses === 'default';
  const { uninspectedClients: _none, ...excess } = await inspectClients(clients, {
    now: now(),
    isDashboardDefault,
    mostMs: inspectionMs,
  });
  if (Object.values(excess).flat().length === 0) return;
  log.info({ ...excess }, 'clients have more than they may need: npx console doctor says what to change');
}

/**
 * Of providers that were switched or removed while a process ended: tokens of their accounts may still count, so this
 * comes before the first call.
 */
export async function finishSweeps({ storage, providerRegistration }: Services, log: Logger): Promise<void> {
  const isOpen = [...storage.registry.all('providers').values()].some(({ sweep }) => sweep !== undefined);
  if (!isOpen) return;
  const { finish } = await providerRegistration();
  await finish().catch((error: unknown) =>
    log.error({ err: error }, 'accounts of an identity provider could not be shut out'),
  );
}

export interface ApplyConfigurationDeps {
  readonly audit: Audit;
  readonly log: Logger;
  readonly closing: Closing;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Nobody is answered before files of configuration are in force, or refused; from then on they are followed. Of several
 * consoles that share a store the one that leads applies its own, as long as it does (decision 57).
 */
export async function applyConfiguration(
  services: Services,
  { closing, ...deps }: ApplyConfigurationDeps,
): Promise<void> {
  const { configDir } = services.settings;
  if (configDir === undefined) return;
  const { followConfiguration } = await import('./app/followed-configuration.ts');
  const { storage } = services;
  const applied = new Promise<true>((resolve) => {
    const end = whileLeading(storage, (store) => {
      const followed = followConfiguration(configDir, services, store, deps);
      void followed.then(() => resolve(true));
      return async () => (await followed).close();
    });
    closing.add('files of configuration', end);
  });
  await untilInForce(storage, applied, deps.log);
}

/** @param applied  by this console */
async function untilInForce(storage: Storage, applied: Promise<true>, log: Logger): Promise<void> {
  const { leadership } = storage;
  if (!leadership) {
    await applied;
    return;
  }
  const begun = performance.now();
  for (;;) {
    if (leadership.term() === undefined) {
      // Of an installation that is new: whoever leads is about to apply them.
      const known = await directoryStateOf(storage)
        .read()
        .catch(() => undefined);
      if (known || performance.now() - begun > patienceMs) {
        log.info({}, 'files of configuration are those of the console that leads');
        return;
      }
    }
    if (await Promise.race([applied, pause(betweenMs, false)])) return;
  }
}
