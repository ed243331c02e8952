/** The configuration of a member: read from XML or YAML, checked, completed, and with overrides from the environment. */
import { builtInConfig } from './built-in-config.ts';
import { type CheckedSection, checkTree } from './check.ts';
import { complete } from './complete.ts';
import type { MemberConfig } from './config.ts';
import { MemberConfigError } from './config-error.ts';
import { type Environment, overridesIn } from './override-names.ts';
import { largestConfigBytes } from './read-file.ts';
import { readXml } from './xml/xml-file.ts';
import { readYaml } from './yaml/yaml-file.ts';

export interface LoadOptions {
  /** The path of the file, for the messages and for a reload. */
  readonly file: string;
  /** Whose `HZ_…` and `SVC_…` variables are put over the file; none when left out. */
  readonly environment?: Environment;
}

/**
 * Reads a member configuration (`docs/member.md#configuration` lists the keys).
 *
 * @param content  YAML or XML, or `undefined` when there is no file: the stand-alone default
 * @throws {MemberConfigError} with every problem of the file, each with file, line and path, and
 *   every override that names nothing
 */
export function loadMemberConfig(
  content: string | Uint8Array | undefined,
  { file, environment = {} }: LoadOptions,
): MemberConfig {
  const overrides = overridesIn(environment);
  if (content === undefined && overrides.length === 0) return builtInConfig();
  const { section, notices } = readSection(content ?? '', { file, environment });
  const own = Object.fromEntries(overrides.map(({ name, value }) => [name, value]));
  const source = content === undefined ? undefined : { file, environment: own };
  return complete(section, { source, notices });
}

/** Reads and checks without filling in: what is left out stays left out. Throws as {@link loadMemberConfig}. */
export function readSection(
  content: string | Uint8Array,
  { file, environment = {} }: LoadOptions,
): CheckedSection {
  const text = decode(content, file);
  const tree = isXml(text) ? readXml(text, file) : readYaml(text, file);
  return checkTree(tree, { file, environment });
}

/** YAML cannot begin with `<`, XML must. */
export function isXml(text: string): boolean {
  return text.trimStart().startsWith('<');
}

function decode(content: string | Uint8Array, file: string): string {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  if (bytes.length > largestConfigBytes) {
    throw new MemberConfigError([`${file}: larger than ${largestConfigBytes} bytes`]);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes); // drops a byte order mark
    if (!text.includes('\0')) return text;
  } catch {
    // Not UTF-8: refused below, as a file with a NUL in it is.
  }
  throw new MemberConfigError([`${file}: no text in UTF-8`]);
}
