/** The audit trail of the command line (S84): one JSON line per change or refusal, in a file of the data directory. */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { AuditFields } from '../log.ts';

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
 */
export function createAuditFile(dataDir: string): WriteAudit {
  return async (event, fields) => {
    // Loaded only here: help and lists write no line.
    const { createAudit, createLogger } = await import('../log.ts');
    const destination = { write: (line: string) => append(join(dataDir, auditFile), line) };
    const audit = createAudit(createLogger({ level: 'info', format: 'json', destination }));
    audit(event, { ...fields, actor: osUser(), source: 'command line', requestId: randomUUID() });
  };
}

function append(file: string, line: string): void {
  const descriptor = openSync(file, 'a', 0o600);
  try {
    writeSync(descriptor, line);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Who typed the command, as the operating system knows them. */
function osUser(): string {
  try {
    return `os:${userInfo().username}`;
  } catch {
    return `os:${process.getuid?.() ?? 'unknown'}`; // an id without a name, as in some containers
  }
}
