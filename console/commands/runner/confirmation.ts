/** Asks a person at the terminal before a command that cannot be taken back; a script is not asked. */
import { createInterface } from 'node:readline/promises';
import { CommandError } from './command.ts';
import type { Parsed } from './parse.ts';
import type { SecretSources } from './secret-input.ts';

/** @throws {CommandError} `not_confirmed` when the answer is no, or none comes */
export async function confirm({ command, input }: Parsed, { stdin, stderr }: SecretSources): Promise<void> {
  const question = command.asks?.(input);
  if (question === undefined || !stdin.isTTY || input.has('yes') || input.has('dry-run')) return;
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    const answer = await Promise.race([lines.question(`${question} Go on? [y/N] `), closed]);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    lines.close();
  }
  throw new CommandError('not_confirmed', 'Nothing was changed.');
}
