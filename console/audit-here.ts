/** The audit where no console runs: what a command changes leaves the entries that the console would leave. */
import { join } from 'node:path';
import { once } from '../platform/async/once.ts';
import type { Audit } from '../platform/log.ts';
import { signingKey } from './audit/checkpoint.ts';
import { createEventBody } from './audit/event-body.ts';
import { BrokenChainError, openWriter } from './audit/writer.ts';
import { ownWriter, replaceOwnWriter } from './audit/writer-name.ts';
import { CommandError } from './commands/runner/command.ts';

export interface AuditHere {
  readonly audit: Audit;
  /** @throws {CommandError} `audit_failed` when the disk has not taken every entry */
  close(): Promise<void>;
}

/** Where several consoles share the audit. */
export interface AuditCopies {
  /** Before anything is written here. @throws {StorageUnavailableError} */
  begin(): Promise<void>;
  /** Resolves when the database has it. Never rejects: a console that starts here later copies it. */
  ship(): Promise<void>;
}

/**
 * Written when the command ends: it waits for the disk, and has nobody else to serve.
 *
 * @param dataDir  there already, and owned by this process
 * @param copies   where several consoles share the audit
 * @param seedOf   of the key that signs check-points, where it can be had: the console signs at its next start what it was not
 */
export function openAuditHere(
  dataDir: string,
  seedOf: () => Promise<string | undefined>,
  copies?: AuditCopies,
): AuditHere {
  const bodyOf = createEventBody();
  const bodies: string[] = [];
  return {
    audit: (event, fields) => void bodies.push(bodyOf(event, fields, Date.now())),
    close: once(async () => {
      if (bodies.length === 0) return;
      try {
        await copies?.begin();
        writeAll(join(dataDir, 'audit'), bodies, await seedOf());
        await copies?.ship();
      } catch (cause) {
        const { code = 'failed' } = cause as NodeJS.ErrnoException;
        const message = `The change was made, but the audit cannot be written (${code}).`;
        throw new CommandError('audit_failed', message, { cause });
      }
    }),
  };
}

function writeAll(directory: string, bodies: readonly string[], seed: string | undefined): void {
  const given = { directory, now: Date.now, onCheckpoint() {}, onFull() {} };
  const writer = openOr(ownWriter(directory), () => replaceOwnWriter(directory));
  if (seed !== undefined) writer.useKey(signingKey(seed));
  for (const body of bodies) writer.add(body);
  writer.close();

  function openOr(name: string, other: () => string) {
    try {
      return openWriter({ ...given, writer: name });
    } catch (error) {
      if (!(error instanceof BrokenChainError)) throw error;
      return openWriter({ ...given, writer: other() });
    }
  }
}
