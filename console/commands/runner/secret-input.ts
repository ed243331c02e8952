import { readFile, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { ProblemError, problems } from '../../../platform/errors.ts';

/** Far more than any password or secret; a wrong file must not fill the memory. */
const mostBytes = 65_536;

/** Standard input and standard error of this process. */
export interface SecretSources {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
}

/**
 * Reads secrets from files or from standard input: as arguments other processes would see them (S56).
 * A person at the terminal is asked, and what is typed is not shown.
 *
 * @returns a function from a path, `-` for standard input, to the text without the line's end
 * @throws {ProblemError} `invalid_request` when there is nothing, or more than 64 KiB
 */
export function createSecretInput({ stdin, stderr }: SecretSources): (path: string) => Promise<string> {
  return async (path) => {
    const source = path === '-' ? 'Standard input' : `The file ${path}`;
    const text = (await read(path)).replace(/\r?\n$/, '');
    if (text === '') throw new ProblemError(problems.invalidRequest, `${source} is empty.`);
    if (text.length > mostBytes) throw new ProblemError(problems.invalidRequest, `${source} is too long.`);
    return text;
  };

  function read(path: string): Promise<string> {
    if (path !== '-') return readWhole(path);
    return stdin.isTTY ? askUnseen(stdin, stderr) : readAll(stdin);
  }
}

async function readWhole(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): ProblemError {
  const { code } = cause as NodeJS.ErrnoException;
  return new ProblemError(problems.invalidRequest, `The file ${path} cannot be read (${code}).`, { cause });
}

async function readAll(stdin: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdin) {
    parts.push(part);
    bytes += part.length;
    if (bytes > mostBytes) break;
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The terminal's own echo is off while its line is edited, and nobody writes what is typed. */
async function askUnseen(stdin: Readable, stderr: Writable): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  stderr.write('Type the secret, then Enter (it is not shown): ');
  try {
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    return await Promise.race([lines.question(''), closed]);
  } finally {
    lines.close();
    stderr.write('\n');
  }
}

const mostFileBytes = 256 * 1024;

/** @throws {ProblemError} `invalid_request` when it cannot be read or is larger than 256 KiB */
export async function readInputFile(path: string): Promise<string> {
  try {
    if ((await stat(path)).size > mostFileBytes) {
      throw new ProblemError(problems.invalidRequest, `The file ${path} is larger than 256 KiB.`);
    }
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause;
    throw unreadable(path, cause);
  }
  return readWhole(path);
}
