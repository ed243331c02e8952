/** One command from its arguments to its reply, with the audit line of what it changed. */
import { ProblemError } from '../../../platform/errors.ts';
import type { WriteAudit } from './audit-file.ts';
import { CommandError, type Reply, type Tools } from './command.ts';
import { explainFailure } from './failures.ts';
import type { Parsed } from './parse.ts';

export interface RunDeps {
  readonly tools: Tools;
  /** Where there is a store that the change concerns. */
  readonly auditTo: () => WriteAudit | undefined;
}

/** @throws {Error} what the command throws, or a {@link CommandError} `audit_failed` */
export async function runCommand({ command, input }: Parsed, { tools, auditTo }: RunDeps): Promise<Reply> {
  const audit: WriteAudit = async (event, fields) => {
    await auditTo()?.(event, fields);
  };
  const { event } = command;
  try {
    const reply = await command.run(input, tools);
    if (event === undefined || reply.isUnchanged) return reply;
    await audit(event, { outcome: 'success', target: reply.target }).catch((cause: NodeJS.ErrnoException) => {
      const message = `The change was made, but the audit log cannot be written (${cause.code}).`;
      throw new CommandError('audit_failed', message, { cause });
    });
    return reply;
  } catch (error) {
    const isOwn = error instanceof CommandError && error.code === 'audit_failed';
    if (event !== undefined && !isOwn) {
      const outcome = error instanceof ProblemError ? 'denied' : 'failure';
      await audit(event, { outcome, target: undefined, reason: explainFailure(error).code });
    }
    throw error;
  }
}
