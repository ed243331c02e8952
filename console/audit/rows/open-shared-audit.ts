/**
 * The audit of a console that shares its store: written into files here, as where it is alone, and copied to the database,
 * where the entries of all consoles are asked for (decision 0053).
 */
import { sign } from 'node:crypto';
import type { Logger } from '../../../platform/log.ts';
import type { Secret } from '../../../platform/secret.ts';
import { type AuditStoreDeps, openAuditStore } from '../audit-store.ts';
import { type SigningKey, signingKey } from '../checkpoint.ts';
import { createAuditReader } from '../reader/audit-reader.ts';
import type { TrailVersions } from '../reader/latest-entries.ts';
import type { ForwardSettings } from '../reader/reader-work.ts';
import { createSharedEraser } from './shared-eraser.ts';

export interface SharedAuditDeps extends Omit<AuditStoreDeps, 'log'> {
  readonly databaseUrl: Secret;
  readonly forward: ForwardSettings | undefined;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export type SharedAudit = Awaited<ReturnType<typeof openSharedAudit>>;

/** @throws {StorageUnavailableError} */
export async function openSharedAudit({ databaseUrl, forward, ...deps }: SharedAuditDeps) {
  const { dataDir, log } = deps;
  const reader = createAuditReader({
    dataDir,
    databaseUrl,
    forward,
    log,
    onNotice(notice) {
      if (notice.type === 'heads') trail?.useHeads(notice.heads);
      else void eraser?.eraseHere(notice.writer, notice.seq);
    },
  });
  let trail: ReturnType<typeof openAuditStore> | undefined;
  let eraser: ReturnType<typeof createSharedEraser> | undefined;
  const { writer: owner, left } = await reader.askShared('begin', {}).catch(async (error: unknown) => {
    await reader.close();
    throw error;
  });
  if (left !== undefined)
    log.warn(
      { left, writer: owner },
      'the database has entries of this console that its files have not: another chain begins',
    );
  // What is too old is removed from the database, by one console for all; copied files go by themselves.
  const own = openAuditStore({ ...deps, retention: undefined });
  trail = own;
  const synced = async () => {
    await own.synced();
    await reader.askShared('ship', {});
  };
  let key: SigningKey | undefined;
  const shared = {
    ...own,
    synced,
    owner,
    useKey(seed: string): void {
      key = signingKey(seed);
      own.useKey(seed);
    },
    /** By the key of check-points; undefined: there is none yet. */
    sign: (text: string) => key && sign(null, Buffer.from(text), key.privateKey).toString('base64url'),
  };
  eraser = createSharedEraser(shared, reader);
  const versions: TrailVersions = {
    versions: () => reader.askShared('versions', {}),
    written: own.written,
    isAvailable: own.isAvailable,
  };
  return { trail: shared, reader, eraser, versions };
}
