import { builtInConfig } from '../member/config/built-in-config.ts';
import type { MemberConfig } from '../member/config/config.ts';
import { type Environment, overridesIn } from '../member/config/override-names.ts';
import { type Member, startMember } from '../member/member.ts';
import type { Closing } from '../platform/closing.ts';
import type { Logger } from '../platform/log.ts';
import type { ConfiguredNames } from './members/configured-structures.ts';
import { type Settings, SettingsError } from './settings/settings.ts';

export interface EmbeddedMemberDeps {
  readonly settings: Pick<Settings, 'members' | 'memberConfig' | 'memberHost' | 'memberPort'>;
  /** Whose `HZ_…` and `SVC_…` variables are put over the member's configuration. */
  readonly environment: Environment;
  readonly log: Logger;
  readonly closing: Closing;
}

export interface EmbeddedMember extends Member {
  readonly configured: ConfiguredNames;
}

/**
 * Starts the member of a console that has been given no other.
 *
 * @throws {SettingsError} when its configuration is no good
 * @throws {PortTakenError}
 */
export async function startEmbeddedMember({
  settings,
  environment,
  log,
  closing,
}: EmbeddedMemberDeps): Promise<EmbeddedMember | undefined> {
  if (settings.members.length > 0) return undefined;
  const config = await loadConfig(settings.memberConfig, environment);
  const member = await startMember({ config, host: settings.memberHost, port: settings.memberPort, log });
  let isStopping = false;
  closing.add('member', () => {
    isStopping = true;
    return member.close();
  });
  void member.stopped.then(() => {
    if (!isStopping) log.warn({ member: member.address }, shutDownByCall);
  });
  const configured = { map: [...config.maps.keys()], queue: [...config.queues.keys()] };
  return Object.assign(member, { configured });
}

/** The console has more to do than to relay calls: it does not end with its member. */
const shutDownByCall =
  'the embedded member has been shut down by a call: calls to it are 503 no_member until the console is restarted';

async function loadConfig(file: string | undefined, environment: Environment): Promise<MemberConfig> {
  if (file === undefined && overridesIn(environment).length === 0) {
    return builtInConfig({ restEnabled: true, groups: ['DATA', 'CLUSTER_READ', 'HEALTH_CHECK'] });
  }
  // Loaded only here: schema and parsers cost 110 ms of start-up, and most installations have no such file.
  const { loadMemberConfig } = await import('../member/config/load.ts');
  const { MemberConfigError } = await import('../member/config/config-error.ts');
  const { readConfigFile } = await import('../member/config/read-file.ts');
  try {
    if (file !== undefined) return loadMemberConfig(await readConfigFile(file), { file, environment });
    const config = loadMemberConfig(embeddedDefault, { file: 'built-in configuration', environment });
    return { ...config, source: undefined };
  } catch (error) {
    if (error instanceof MemberConfigError) throw new SettingsError(error.problems);
    throw error;
  }
}

/** What {@link builtInConfig} has for the embedded member, where overrides are put over it. */
const embeddedDefault =
  'svc: { network: { rest-api: { enabled: true, endpoint-groups: { DATA: { enabled: true } } } } }';
