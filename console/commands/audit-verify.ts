/** `audit verify`: from files alone, so on any machine that has a copy of them. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ProblemError, problems } from '../../platform/errors.ts';
import { readAnchors } from '../audit/verify/anchors.ts';
import {
  ForgedAnchorError,
  type VerifyReport,
  verifyInThreads,
  type WriterReport,
} from '../audit/verify/verify.ts';
import { type Command, flags } from './runner/command.ts';

export const auditVerifyCommand: Command = {
  name: 'audit verify',
  summary: 'Says whether the entries of the audit are what was written; needs no console and no store.',
  positionals: ['[<directory>]'],
  flags: flags({
    '[--key F]': 'public key of check-points, PEM; by default the one beside the files, which proves less',
    '[--anchor F] …': 'check-points that were kept elsewhere: lines of the log, or of the files',
  }),
  details: [
    'The directory is audit of a data directory, or a copy of it; by default that of the settings, and with CONSOLE_DATABASE_URL the chains of all consoles in the database.',
    'For each writer: ok, changed, removed, inserted, swapped, repeated, cut or rolled_back, with the first entry; gap: entries had no room, and the audit says so; unsigned_tail: no check-point is behind the last ones.',
    'Without --anchor nobody can see that the end was cut off, or an older copy put in place. Exit code 1: something is not what was written.',
  ],
  isLocal: true,
  async run(input, { settings, cwd }) {
    const [given] = input.positionals;
    const used = given === undefined ? await settings() : undefined;
    const directory = given === undefined ? join(used!.dataDir, 'audit') : resolve(cwd, given);
    const databaseUrl = used?.databaseUrl?.reveal();
    if (databaseUrl === undefined && !existsSync(directory))
      throw new ProblemError(problems.notFound, `There is no ${directory}.`);
    const anchors = (input.texts('anchor') ?? []).flatMap((path) => anchorsIn(resolve(cwd, path)));
    const beside = join(directory, 'checkpoint-key.pem');
    const key = input.text('key');
    const file = key === undefined ? (existsSync(beside) ? beside : undefined) : resolve(cwd, key);
    const publicKey = file === undefined ? undefined : keyIn(file);
    const check = async () => {
      if (databaseUrl === undefined) return verifyInThreads({ directory, publicKey, anchors });
      const { verifyRows } = await import('../audit/rows/verify/verify-rows.ts');
      return verifyRows({ databaseUrl, publicKey, anchors });
    };
    const { isGood, writers } = await verified(check);
    const place = databaseUrl === undefined ? directory : null;
    const json = {
      directory: place,
      isGood,
      isSigned: publicKey !== undefined,
      anchors: anchors.length,
      writers,
    };
    return { text: textOf(writers), json, hasFailed: !isGood };
  },
};

async function verified(check: () => Promise<VerifyReport>): Promise<VerifyReport> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof ForgedAnchorError) throw new ProblemError(problems.invalidRequest, error.message);
    throw error;
  }
}

function anchorsIn(path: string) {
  const anchors = readAnchors(readIn(path));
  if (anchors.length > 0) return anchors;
  throw new ProblemError(problems.invalidRequest, `${path} has no check-point.`);
}

function keyIn(path: string): KeyObject {
  try {
    const key = createPublicKey(readIn(path));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    if (error instanceof ProblemError) throw error;
  }
  throw new ProblemError(problems.invalidRequest, `${path} is no public key of Ed25519 in PEM.`);
}

function readIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ProblemError(problems.invalidRequest, `${path} cannot be read (${code}).`, { cause });
  }
}

function textOf(writers: readonly WriterReport[]): string {
  if (writers.length === 0) return 'There is no entry.';
  return writers.map(lineFor).join('\n');
}

function lineFor({ writer, verdict, seq, last, says, entries, erased }: WriterReport): string {
  const where =
    seq === undefined ? '' : ` at entry ${seq}${last === undefined || last === seq ? '' : ` to ${last}`}`;
  const why = says === undefined ? '' : `: ${says}`;
  const gone = erased === 0 ? '' : `, ${erased} erased`;
  return `${writer}  ${verdict}${where}${why} (${entries} entries${gone})`;
}
