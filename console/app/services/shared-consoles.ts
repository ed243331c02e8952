/** The consoles that share a store, as each tells of itself with its numbers: who leads, and what its files are. */
import { once } from '../../../platform/async/once.ts';
import { type ConsoleFiles, compareFiles } from '../../configuration/directory/differing-files.ts';
import { createFilesDigest } from '../../configuration/directory/files-digest.ts';
import type { Cipher } from '../../keys/encryption.ts';
import { storedSecret } from '../../keys/stored-secret.ts';
import type { ReportedConsole } from '../../metrics/reports/process-report.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Reports } from './reports.ts';

export interface SharedConsolesDeps {
  readonly settings: Pick<Settings, 'configDir'>;
  readonly storage: Pick<Storage, 'leadership' | 'registry'>;
  readonly cipher: Cipher;
  readonly reports: Pick<Reports, 'name' | 'consoles'>;
}

export type SharedConsoles = NonNullable<ReturnType<typeof createSharedConsoles>>;

/** @returns undefined where this one has its store alone */
export function createSharedConsoles({ settings, storage, cipher, reports }: SharedConsolesDeps) {
  const { leadership, registry } = storage;
  if (!leadership) return undefined;
  const { configDir } = settings;
  const { name } = reports;
  const readKey = once(async () =>
    Buffer.from(await storedSecret({ registry, cipher }, 'configuration-key'), 'base64url'),
  );
  const readFiles = configDir === undefined ? undefined : createFilesDigest(configDir, readKey);

  let reported: ReportedConsole | undefined;

  return {
    name,
    /** For the others. @throws {StorageUnavailableError} */
    async report(): Promise<ReportedConsole> {
      reported = await own();
      return reported;
    },
    /**
     * What the files of each are, beside those of the one that leads, as they were some seconds ago: here too, or each
     * change of files that several read from one place would look like a difference.
     */
    async compareFiles() {
      const isLeading = leads();
      const here: ConsoleFiles = filesOf({ name, ...(reported ?? (await own())), isLeading });
      const others = reports.consoles().map(filesOf);
      // Of this one it is known now; one that was stopped may have said last that it leads.
      return compareFiles([here, ...others]);
    },
  };

  function leads(): boolean {
    return leadership!.term() !== undefined;
  }

  async function own(): Promise<ReportedConsole> {
    return { isLeading: leads(), files: readFiles ? { path: configDir!, ...(await readFiles()) } : null };
  }
}

const none = { path: null, digest: null, files: [] };

function filesOf({ name, isLeading, files }: ReportedConsole & { readonly name: string }): ConsoleFiles {
  return { name, isLeading, ...(files ?? none) };
}
