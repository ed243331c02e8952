/** The audit trail where no console runs: what a command changes leaves the lines that the console would leave. */
import { once } from '../platform/async/once.ts';
import { type Audit, createAudit, createLogger } from '../platform/log.ts';
import { openAuditTrail } from './audit/audit-trail.ts';
import { CommandError } from './commands/runner/command.ts';

export interface AuditHere {
  readonly audit: Audit;
  /** @throws {CommandError} `audit_failed` when the disk has not taken every line */
  close(): Promise<void>;
}

/** @param dataDir  there already, and owned by this process */
export function openAuditHere(dataDir: string): AuditHere {
  let reason: NodeJS.ErrnoException | undefined;
  const log = {
    info: () => {
      reason = undefined;
    },
    error({ err }: { readonly err?: NodeJS.ErrnoException }) {
      reason = err;
    },
  };
  const trail = openAuditTrail({ dataDir, log, faults: { lostAuditLines: 0 }, now: Date.now });
  const silent = createLogger({ level: 'silent', format: 'json', destination: { write: () => {} } });
  return {
    audit: createAudit(silent, trail),
    close: once(async () => {
      await trail.close();
      if (reason === undefined) return;
      const message = `The change was made, but the audit trail cannot be written (${reason.code}).`;
      throw new CommandError('audit_failed', message, { cause: reason });
    }),
  };
}
