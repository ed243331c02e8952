/** The directory of configuration that this process keeps to, and how others learn how that went. */
import type { Audit, Logger } from '../../platform/log.ts';
import type { Storage } from '../storage/storage.ts';
import { createConfigurationOnFirstUse } from './configuration.ts';
import { directoryStateOf } from './directory-state.ts';
import { leadingServices } from './services/leading-services.ts';
import type { Services } from './services.ts';

const unwritten = () => {};

/**
 * Resolves when it has been applied, or refused; what it takes is loaded only for this.
 *
 * @param store  takes what is applied: of the one that leads, where several consoles share it
 */
export async function followConfiguration(
  directory: string,
  services: Services,
  store: Storage,
  { audit, log, env }: { readonly audit: Audit; readonly log: Logger; readonly env: NodeJS.ProcessEnv },
): Promise<{ close(): Promise<void> }> {
  const [{ followConfigurationDirectory }, { createApiServices }] = await Promise.all([
    import('../configuration/directory/directory.ts'),
    import('./operations.ts'),
  ]);
  const { consoles, storage, now } = services;
  return followConfigurationDirectory({
    directory,
    env,
    configuration: createConfigurationOnFirstUse(
      leadingServices(services, store),
      audit,
      (staged) => createApiServices(staged, unwritten),
      // What has been committed in time is carried through, whoever leads by then.
      storage.artifacts,
    ),
    ...(consoles && { console: consoles.name }),
    state: directoryStateOf(store),
    onRead: () => store.leadership?.ran('configuration'),
    audit,
    log,
    now,
  });
}
