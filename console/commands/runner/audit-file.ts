/** The audit trail of the command line (S84): one JSON line per change or error, in a file of the data directory. */
import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { AuditFields } from '../../../platform/log.ts';

export type WriteAudit = (
  event: string,
  fields: Pick<AuditFields, 'outcome'> & { readonly target?: string | undefined; readonly reason?: string },
) => Promise<void>;

export const auditFile = 'audit.log';

/**
 * The lines have the form of those that the running console logs. Each is on the disk when the promise
 * resolves; processes that append at the same time do not mix.
 *
 * @param dataDir  must be there
 * @param actor    who typed the command
 */
export function createAuditFile(dataDir: string, actor: string): WriteAudit {
  return async (event, fields) => {
    // Loaded only here: help and lists write no line.
    const { createAudit, createLogger } = await import('../../../platform/log.ts');
    const lines: string[] = [];
    const destination = { write: (line: string) => lines.push(line) };
    const audit = createAudit(createLogger({ level: 'info', format: 'json', destination }));
    audit(event, { ...fields, actor, source: 'command line', requestId: randomUUID() });
    await append(join(dataDir, auditFile), lines.join(''));
  };
}

/** In one write: the console serves requests meanwhile, and others may append too. */
async function append(file: string, text: string): Promise<void> {
  const handle = await open(file, 'a', 0o600);
  try {
    await handle.write(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The same as the actor of an operation. @param actor  of {@link osUser} */
export function localUser(actor = osUser()): string {
  return actor.replace(/^os:/, 'local:');
}

/** Who typed the command, as the operating system knows them. */
export function osUser(): string {
  try {
    return `os:${userInfo().username}`;
  } catch {
    return `os:${process.getuid?.() ?? 'unknown'}`; // an id without a name, as in some containers
  }
}
