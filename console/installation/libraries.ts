/** The libraries whose code is in the programs, as the build has written them down with their terms. */
import { readFile } from 'node:fs/promises';
import { once } from '../../platform/async/once.ts';
import { builtFile } from '../../platform/installation.ts';

export interface Library {
  readonly name: string;
  readonly version: string;
  /** By its SPDX name. */
  readonly licence: string;
}

/** In the directory of the programs. */
export const noticesFile = 'THIRD-PARTY-NOTICES.txt';
const line = /^((?:@[\w.-]+\/)?[\w.-]+) (\d[\w.+-]*) \(([^()]+|\([^()]+\))\)$/;

/** By name; none where nothing was built. */
export const libraries = once(async (): Promise<readonly Library[]> => {
  const text = await readFile(builtFile(noticesFile), 'utf8').catch(() => '');
  // A line of dashes stands before each name.
  return text.split(/^-{80}\n\n/m).flatMap((part) => {
    const [, name, version, licence] = line.exec(part.split('\n', 1)[0]!) ?? [];
    return name && version && licence ? [{ name, version, licence }] : [];
  });
});
