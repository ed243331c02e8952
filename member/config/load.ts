import { builtInConfig } from './built-in-config.ts';
import { complete } from './complete.ts';
import type { MemberConfig } from './config.ts';
import { configFile } from './config-schema.ts';
import { readYaml } from './yaml-file.ts';

/**
 * Reads a member configuration (spec §1.6; `docs/member.md` lists the keys).
 *
 * @param text  YAML, or `undefined` when there is no file: the stand-alone default
 * @param file  its path, for the messages
 * @throws {MemberConfigError} with every problem of the file, each with file, line and path
 */
export function loadMemberConfig(
  text: string | undefined,
  { file }: { readonly file: string },
): MemberConfig {
  if (text === undefined) return builtInConfig();
  const { svc, hazelcast } = readYaml(text, file, configFile);
  return complete(svc ?? hazelcast ?? {}, { source: { file, environment: {} }, notices: [] });
}
