/** `/api/v1/backups`: copies of the store in the data directory, and `/api/v1/imports`: both run as jobs. */
import { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Backup, Backups } from '../jobs/backups.ts';
import { JobFailure } from '../jobs/job-kind.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { type Cursors, listOf, listQuery, pageOf } from '../operations/lists.ts';
import { type Operation, operation } from '../operations/operation.ts';
import { dateTime, view } from '../operations/resource-fields.ts';
import { begun, jobView } from './jobs.ts';

export interface BackupNeeds {
  readonly jobs: Jobs;
  readonly backups: Pick<Backups, 'list' | 'find'>;
  readonly cursors: Cursors;
}

export interface ImportNeeds {
  readonly jobs: Jobs;
  /** Durable when it resolves. @returns how many bytes. @throws {JobFailure} */
  readonly storeUpload: (jobId: string, bytes: AsyncIterable<Buffer>) => Promise<number>;
}

const backupId = z.string().regex(/^bak_[0-9a-f]{32}$/);
const backupView = view({
  id: backupId,
  createdAt: dateTime,
  bytes: z.number().int(),
}).meta({ id: 'Backup' });
const params = z.strictObject({ backup: backupId });

export const backupOperations: readonly Operation<BackupNeeds>[] = [
  operation({
    id: 'listBackups',
    method: 'GET',
    path: '/backups',
    summary: 'Lists the backups in the data directory, the oldest first.',
    access: 'inspect',
    query: listQuery({}),
    answer: listOf(backupView),
    async run({ query }, { backups, cursors }: BackupNeeds) {
      return { body: pageOf('listBackups', (await backups.list()).map(viewOf), query, cursors) };
    },
  }),
  operation({
    id: 'createBackup',
    method: 'POST',
    path: '/backups',
    summary: 'Begins a consistent copy of the store, in the data directory.',
    access: 'write',
    event: 'backup.started',
    isMaking: true,
    statuses: [200, 202],
    answer: jobView,
    async run({ actor, waitSeconds, isDryRun }, { jobs }: BackupNeeds) {
      const asked = { kind: 'backup', input: {}, startedBy: actor.id, resumable: false, unit: 'copies' };
      return begun(await jobs.wait(await jobs.add(asked), isDryRun ? 0 : waitSeconds * 1000));
    },
  }),
  operation({
    id: 'readBackup',
    method: 'GET',
    path: '/backups/{backup}',
    summary: 'Shows a backup.',
    access: 'inspect',
    params,
    answer: backupView,
    async run({ params: { backup: id } }, { backups }: BackupNeeds) {
      return { body: viewOf(await found(id, backups)) };
    },
  }),
  operation({
    id: 'restoreBackup',
    method: 'POST',
    path: '/backups/{backup}/restore',
    summary: 'Says how a backup takes the place of the store: only while the console is stopped.',
    access: 'write',
    isDangerous: true,
    event: 'store.restored',
    hasVersion: false,
    params,
    answer: backupView,
    problems: [409],
    async run({ params: { backup: id } }, { backups }: BackupNeeds) {
      await found(id, backups);
      throw new ProblemError(
        problems.conflict,
        `A store is put back while nobody uses it: stop the console, then run npx console restore <CONSOLE_DATA_DIR>/backups/${id}`,
      );
    },
  }),
];

const flag = z.enum(['true', 'false']).exactOptional();

export const importOperations: readonly Operation<ImportNeeds>[] = [
  operation({
    id: 'createImport',
    method: 'POST',
    path: '/imports',
    summary: 'Adds users or clients from an uploaded file, with the hashes of their passwords and secrets.',
    description:
      'The lines are those of `npx console import`. Nothing is written unless every line is right, but with `continue`. Who imports has to have everything: a file may make administrators.',
    access: 'write',
    isDangerous: true,
    event: 'import.started',
    isMaking: true,
    mediaType: 'application/octet-stream',
    statuses: [200, 202],
    query: z.strictObject({
      of: z.enum(['users', 'clients']),
      format: z.enum(['csv', 'jsonl']),
      continue: flag.meta({ description: 'true: what is wrong is left out, and named in the result.' }),
      skipExisting: flag.meta({ description: 'true: who is there already stays, and is no fault.' }),
      onlyCheck: flag.meta({ description: 'true: everything is read and checked, and nothing written.' }),
    }),
    answer: jobView,
    problems: [413],
    async run({ query, body, actor, checkMayGrant, isDryRun, waitSeconds }, needs: ImportNeeds) {
      checkMayGrant({ roles: ['Admin'] });
      if (isDryRun) throw new ProblemError(problems.invalidRequest, 'Ask for onlyCheck=true instead.');
      const { jobs, storeUpload } = needs;
      const id = jobs.newId();
      await storeUpload(id, body as unknown as AsyncIterable<Buffer>).catch(tooLarge);
      const input = {
        collection: query.of,
        format: query.format,
        continues: query.continue === 'true',
        skipsExisting: query.skipExisting === 'true',
        onlyCheck: query.onlyCheck === 'true',
      };
      const asked = { id, kind: `import-${query.of}`, input, startedBy: actor.id, resumable: true };
      const job = await jobs.add({ ...asked, unit: 'lines' });
      return begun(await jobs.wait(job, waitSeconds * 1000));
    },
  }),
];

function tooLarge(error: unknown): never {
  if (!(error instanceof JobFailure)) throw error;
  throw new ProblemError(problems.contentTooLarge, error.message, { headers: { Connection: 'close' } });
}

async function found(id: string, backups: Pick<Backups, 'find'>): Promise<Backup> {
  const backup = await backups.find(id);
  if (backup) return backup;
  throw new ProblemError(problems.notFound, 'There is no backup of this id.');
}

function viewOf({ id, createdAt, bytes }: Backup) {
  return { id, createdAt: new Date(createdAt).toISOString(), bytes };
}
