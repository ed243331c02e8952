import { readFile } from 'node:fs/promises';
import { builtInConfig } from '../member/config/built-in-config.ts';
import type { MemberConfig } from '../member/config/config.ts';
import { type Member, startMember } from '../member/member.ts';
import type { Closing } from './closing.ts';
import type { Logger } from './log.ts';
import { type Settings, SettingsError } from './settings/settings.ts';

export interface EmbeddedMemberDeps {
  readonly settings: Pick<Settings, 'members' | 'memberConfig' | 'memberHost' | 'memberPort'>;
  readonly log: Logger;
  readonly closing: Closing;
}

/**
 * Starts the member of a console that has been given no other.
 *
 * @throws {SettingsError} when its configuration file is no good
 * @throws {PortTakenError}
 */
export async function startEmbeddedMember({
  settings,
  log,
  closing,
}: EmbeddedMemberDeps): Promise<Member | undefined> {
  if (settings.members.length > 0) return undefined;
  const config =
    settings.memberConfig === undefined
      ? builtInConfig({ restEnabled: true, groups: ['DATA', 'CLUSTER_READ', 'HEALTH_CHECK'] })
      : await readConfig(settings.memberConfig);
  const member = await startMember({ config, host: settings.memberHost, port: settings.memberPort, log });
  closing.add('member', member.close);
  return member;
}

async function readConfig(file: string): Promise<MemberConfig> {
  // Loaded only here: schema and parser cost 110 ms of start-up, and most installations have no such file.
  const { loadMemberConfig } = await import('../member/config/load.ts');
  const { MemberConfigError } = await import('../member/config/config-error.ts');
  try {
    return loadMemberConfig(await readFile(file, 'utf8'), { file });
  } catch (error) {
    if (error instanceof MemberConfigError) throw new SettingsError(error.problems);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new SettingsError([`MEMBER_CONFIG names a file that cannot be read (${code})`]);
  }
}
