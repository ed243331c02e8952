/** What cannot be taken back wants its name typed at a terminal, and `--yes` of a script. */

import { createInterface } from 'node:readline/promises';
import type { OwnReason } from '../../../platform/names/reason-codes.ts';
import { CommandError } from './command.ts';
import { printable } from './output.ts';
import type { Parsed } from './parse.ts';
import { ReportedFailure } from './reported-failure.ts';
import type { SecretSources } from './secret-input.ts';

/** @throws {Error} `not_confirmed` when another name is typed, or none, and where nobody can be asked */
export async function confirm({ command, input }: Parsed, { stdin, stderr }: SecretSources): Promise<void> {
  const question = command.asks?.(input);
  if (question === undefined || input.has('yes') || input.has('dry-run')) return;
  const { says, name } = question;
  if (!stdin.isTTY) {
    const message = `${says} That cannot be taken back: without a terminal it takes --yes. Nothing was changed.`;
    throw new ReportedFailure({ exitCode: 2, code: 'not_confirmed' satisfies OwnReason, message });
  }
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    const typed = await Promise.race([
      lines.question(`${printable(says)} Type ${printable(name)} to go on: `),
      closed,
    ]);
    if (typed.trim() === name.trim()) return;
  } finally {
    lines.close();
  }
  throw new CommandError('not_confirmed', 'Nothing was changed.');
}
