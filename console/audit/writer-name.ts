/**
 * What stands beside the writers of a data directory: which of them is that of the process that owns it, which goes on after
 * each start, and the public part of the key that signs check-points.
 */
import { randomInt } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { writerName } from './segments/segment-form.ts';

const characters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const nameFile = 'writer';

export function newWriterName(): string {
  return Array.from({ length: 8 }, () => characters[randomInt(characters.length)]).join('');
}

/** @param directory  `audit`; made when it is not there */
export function ownWriter(directory: string): string {
  try {
    const name = readFileSync(join(directory, nameFile), 'utf8').trim();
    if (writerName.test(name)) return name;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return replaceOwnWriter(directory);
}

/** A chain that nobody can go on with stays as it is, and another one begins. */
export function replaceOwnWriter(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const name = newWriterName();
  replaceFile(join(directory, nameFile), `${name}\n`);
  return name;
}

export const keyFile = 'checkpoint-key.pem';

/**
 * For whoever checks on another machine: to be copied once, since what is here may be changed with the rest.
 *
 * @returns whether it takes the place of another key: what that one signed does not check by this one
 * @throws {Error} of the disk
 */
export function publishKey(directory: string, publicPem: string): boolean {
  const path = join(directory, keyFile);
  let former: string | undefined;
  try {
    former = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (former === publicPem) return false;
  replaceFile(path, publicPem);
  return former !== undefined;
}

function replaceFile(path: string, text: string): void {
  const descriptor = openSync(`${path}.tmp`, 'w', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(`${path}.tmp`, path);
}
