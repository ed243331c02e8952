/** `npx console config import`: the configuration of another server as a file of configuration, for somebody to read first. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Imported } from '../configuration/imports/imported.ts';
import type { ImportOptions } from '../configuration/imports/keycloak.ts';
import { type Command, CommandError, flags, type Input, UsageError } from './runner/command.ts';

const mostBytes = 256 * 1024 ** 2;

export const configImportCommand: Command = {
  name: 'config import',
  summary:
    'Writes a file of configuration from what another server exports, and says what has no counterpart here.',
  positionals: ['<keycloak|hz-mc>', '<file>'],
  isLocal: true,
  flags: flags({
    '[--source S]': 'the owner of what it describes; by default keycloak or management-center',
    '[--role R …]': 'what a role there stands for here: cluster-admin=Admin',
    '[--to D]': 'a directory for the file and, each by itself, the secrets; without it the file is printed',
  }),
  details: [
    'Of keycloak the file is an export of one realm (bin/kc.sh export, with secrets). Of hz-mc it is a script of',
    'hz-mc conf commands, as Management Center is set up with. Nothing is applied: config plan says what it would change.',
  ],
  async run(input, { cwd }) {
    const [from = '', file = ''] = input.positionals;
    const importer = await importerOf(from);
    const source = input.text('source') ?? (from === 'keycloak' ? 'keycloak' : 'management-center');
    if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(source))
      throw new UsageError('--source has 1 to 64 of a-z, 0-9 and . _ -');
    const imported = importer(await readText(resolve(cwd, file)), { source, roles: rolesOf(input) });
    const text = await textOf(imported);
    const to = input.text('to');
    const { document, leftOut, secrets } = imported;
    const json = { document, leftOut, secrets: secrets.map(({ path }) => path) };
    if (to === undefined) return { text, json };
    const written = await writeAll(resolve(cwd, to), source, text, imported);
    return { text: [...written, ...leftOut.map(lineOf)].join('\n'), json };
  },
};

type Importer = (text: string, options: ImportOptions) => Imported;

/** @throws {UsageError} */
async function importerOf(from: string): Promise<Importer> {
  if (from === 'keycloak') return (await import('../configuration/imports/keycloak.ts')).importKeycloakRealm;
  if (from !== 'hz-mc') throw new UsageError('Say what it comes from: keycloak or hz-mc.');
  return (await import('../configuration/imports/management-center.ts')).importManagementCenter;
}

/** @throws {UsageError} */
function rolesOf(input: Input): ReadonlyMap<string, string> {
  const pairs = (input.texts('role') ?? []).map((text) => {
    const [, there, here] = /^(.+)=([A-Za-z][\w.-]*)$/.exec(text) ?? [];
    if (there === undefined || here === undefined)
      throw new UsageError('--role maps a role there to one here: --role cluster-admin=Admin.');
    return [there, here] as const;
  });
  return new Map(pairs);
}

/** @throws {CommandError} */
async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > mostBytes) throw new CommandError('too_large', `${path} has more than ${mostBytes} bytes.`);
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    throw new CommandError('unreadable_file', `${path} cannot be read (${code}).`, { cause });
  }
}

/** What has no counterpart stands above, so that it is read with the rest. */
async function textOf({ document, leftOut }: Imported): Promise<string> {
  const { default: yaml } = await import('yaml');
  const said =
    leftOut.length === 0
      ? []
      : ['# What has no counterpart here:', ...leftOut.map((one) => `# - ${lineOf(one)}`)];
  return [...said, yaml.stringify(document, { lineWidth: 0 }).trimEnd()].join('\n');
}

/** On one line, whatever it is called there. */
function lineOf({ what, why }: Imported['leftOut'][number]): string {
  return `${what}: ${why}`.replaceAll(/[\s\p{Cc}]+/gu, ' ');
}

/** Nothing that is there is written over. @throws {CommandError} */
async function writeAll(
  directory: string,
  source: string,
  text: string,
  { secrets }: Imported,
): Promise<readonly string[]> {
  const files = [{ path: `${source}.yaml`, value: `${text}\n` }, ...secrets];
  for (const { path, value } of files) {
    const place = join(directory, path);
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    try {
      await writeFile(place, value, { flag: 'wx', mode: 0o600 });
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw new CommandError('not_written', `${place} cannot be written (${code}).`, { cause });
    }
  }
  return files.map(({ path }) => `Written: ${join(directory, path)}`);
}
