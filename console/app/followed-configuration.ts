/** The directory of configuration that this process keeps to, and how others learn how that went. */
import type { Audit, Logger } from '../../platform/log.ts';
import { createConfigurationOnFirstUse } from './configuration.ts';
import { directoryStateOf } from './directory-state.ts';
import type { Services } from './services.ts';

const unwritten = () => {};

/** Resolves when it has been applied, or refused; what it takes is loaded only for this. */
export async function followConfiguration(
  directory: string,
  services: Services,
  { audit, log, env }: { readonly audit: Audit; readonly log: Logger; readonly env: NodeJS.ProcessEnv },
): Promise<{ close(): Promise<void> }> {
  const [{ followConfigurationDirectory }, { createApiServices }] = await Promise.all([
    import('../configuration/directory.ts'),
    import('./operations.ts'),
  ]);
  return followConfigurationDirectory({
    directory,
    env,
    configuration: createConfigurationOnFirstUse(services, audit, (staged) =>
      createApiServices(staged, unwritten),
    ),
    state: directoryStateOf(services.storage),
    audit,
    log,
    now: services.now,
  });
}
