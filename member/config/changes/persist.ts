import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncDirectory, writeTemporary } from '../../../platform/files/durable-file.ts';
import type { DynamicConfigurationConfig } from '../config.ts';
import { isXml, readSection } from '../load.ts';
import { readConfigFile } from '../read-file.ts';
import { editXml } from '../xml/xml-edits.ts';
import { editYaml } from '../yaml/yaml-edits.ts';
import type { FileEdit } from './file-edits.ts';

/**
 * Writes edits into a configuration file: whole or not at all, after a copy of it has been put into
 * the backup directory. The file is read anew, so that what was changed by hand meanwhile stays.
 *
 * @throws {MemberConfigError} when the file cannot be read, or would not be a configuration afterwards
 * @throws {NodeJS.ErrnoException} when it, or the copy, cannot be written
 */
export async function writeEdits(
  file: string,
  edits: readonly FileEdit[],
  { backupDir, backupCount }: DynamicConfigurationConfig,
): Promise<void> {
  const target = await realpath(file);
  const text = new TextDecoder().decode(await readConfigFile(target));
  readSection(text, { file });
  const edited = isXml(text) ? editXml(text, edits) : editYaml(text, edits);
  readSection(edited, { file });
  await backUp(target, backupDir, backupCount);
  await replace(target, edited);
}

async function backUp(file: string, folder: string, count: number): Promise<void> {
  const name = basename(file);
  await mkdir(folder, { recursive: true, mode: 0o700 }); // the file may hold passwords
  const time = new Date().toISOString().replaceAll(':', '-');
  await copyFile(file, join(folder, `${name}.${time}.${randomBytes(2).toString('hex')}`));

  const isCopy = (other: string) => other.startsWith(`${name}.`) && copySuffix.test(other.slice(name.length));
  const copies = (await readdir(folder)).filter(isCopy).sort();
  await Promise.all(copies.slice(0, -count).map((old) => rm(join(folder, old), { force: true })));
}

const copySuffix = /^\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.[0-9a-f]{4}$/;

async function replace(file: string, text: string): Promise<void> {
  const { mode } = await stat(file);
  const next = await writeTemporary(file, [text]);
  try {
    await chmod(next, mode);
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
  await syncDirectory(dirname(file));
}
