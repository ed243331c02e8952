/** Files for imports, and the tool that reads them. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createBulkTools } from '../../console/commands/bulk/tools.ts';
import { callConsole } from '../../console/commands/channel/call.ts';
import type { Tools } from '../../console/commands/runner/command.ts';
import { explainFailure } from '../../console/commands/runner/failures.ts';
import { parseArguments } from '../../console/commands/runner/parse.ts';
import { runCommand } from '../../console/commands/runner/run.ts';
import { commands } from '../../console/commands/table.ts';
import { type Outcome, program, root, temporaryDirectory } from '../commands/support.ts';
import { runTool } from '../helpers/commands.ts';
import { followed } from '../helpers/console.ts';

/** Of everybody in the samples. */
export const password = 'the tram was late again';
export const bcrypt = '$2y$10$87eU7.IojqFKYnELryoQJO2pgvzpaxH3fljjPRLLp2dH/8vW1x0gu';

export const sample = (name: string) => join(root, 'test/bulk/samples', name);

/** @returns its path, in a directory that goes away with the test */
export function fileOf(name: string, content: string | Buffer): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, content);
  return path;
}

export interface Store {
  readonly dataDir: string;
}

/** @param args  what follows `import users` */
export function importUsers({ dataDir }: Store, ...args: readonly string[]): Promise<Outcome> {
  return runTool(['import', 'users', ...args], { dataDir, cwd: join(args[0]!, '..') });
}

/** The same by a running console, without a process of the tool: where what is said of a file is tested, not the tool. */
export async function importHere(
  { dataDir }: Store,
  ...args: readonly string[]
): Promise<Omit<Outcome, 'json'>> {
  const console = (await callConsole(dataDir))!;
  const { target, audit } = console.bulk('os:test');
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const tools: Partial<Tools> = {
    cwd: join(args[0]!, '..'),
    bulk: async () => createBulkTools(streams, { target, dataDir }),
  };
  try {
    const parsed = parseArguments(['import', 'users', ...args], commands);
    const { text } = await runCommand(parsed, { tools: tools as Tools, auditTo: () => audit });
    return { code: 0, stdout: `${text}\n`, stderr: '' };
  } catch (error) {
    const { exitCode, message } = explainFailure(error);
    return { code: exitCode, stdout: '', stderr: message };
  } finally {
    console.close();
  }
}

export function exportTo({ dataDir }: Store, collection: 'users' | 'clients', ...args: readonly string[]) {
  return runTool(['export', collection, ...args], { dataDir });
}

export function linesOf(path: string): Record<string, unknown>[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Users with the names `<prefix>0`, `<prefix>1` … as CSV. */
export function manyUsers(count: number, prefix: string): string {
  const lines = Array.from(
    { length: count },
    (_, n) => `${prefix}${n},${prefix}${n}@example.org,Viewer,${bcrypt}`,
  );
  return `username,email,roles,passwordHash\n${lines.join('\n')}\n`;
}

/**
 * Breaks off an import before its end: one that was quicker is made again, with more lines.
 * @param attempt  with a prefix of its own; @returns undefined when the import had come to its end
 */
export async function inTheMiddle<T>(
  attempt: (count: number, prefix: string) => Promise<T | undefined>,
): Promise<T> {
  for (const count of [1500, 6000, 24_000, 96_000]) {
    const broken = await attempt(count, `of-${count}-`);
    if (broken !== undefined) return broken;
  }
  throw new Error('no import was slower than what breaks it off');
}

/** The tool as a process that goes on while the test does something else. @param wrapper  what runs it */
export function startImport({ dataDir }: Store, args: readonly string[], wrapper: readonly string[] = []) {
  const [command = '', ...rest] = [...wrapper, process.execPath, program, 'import', 'users', ...args];
  const child = spawn(command, rest, {
    cwd: join(args[0]!, '..'),
    env: { PATH: process.env.PATH, CONSOLE_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return followed(child);
}
