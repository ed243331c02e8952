/** What a start does before anybody is answered. */
import type { Closing } from '../platform/closing.ts';
import type { Audit, Logger } from '../platform/log.ts';
import type { Services } from './app/services.ts';
import { inspectClients } from './clients/client-excess.ts';

export async function createFirstAdministrator({ settings, users }: Services): Promise<void> {
  const { adminUsername: username, adminPassword } = settings;
  if (username === undefined || adminPassword === undefined || (await users.hasAny())) return;
  await users.add({ username, password: adminPassword.reveal(), roles: ['Admin'] }, { isFirst: true });
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

/** Nobody is answered before files of configuration are in force, or refused; from then on they are followed. */
export async function applyConfiguration(
  services: Services,
  { closing, ...deps }: ApplyConfigurationDeps,
): Promise<void> {
  const { configDir } = services.settings;
  if (configDir === undefined) return;
  const { followConfiguration } = await import('./app/followed-configuration.ts');
  closing.add('files of configuration', (await followConfiguration(configDir, services, deps)).close);
}
