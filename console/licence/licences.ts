/** The licence of this installation: one at a time, in the registry, so that backups hold it too. */
import { ProblemError, problems } from '../../platform/errors.ts';
import { checkIsNew, checkVersion } from '../storage/record-version.ts';
import type { Registry, RegistryTransaction } from '../storage/storage.ts';
import type { Licence } from './licence-file.ts';

export interface StoredLicence extends Licence {
  /** Another one each time that a licence is set, be it the same. */
  readonly version: string;
  /** Epoch milliseconds. */
  readonly setAt: number;
}

interface SetOptions {
  /** The version that the one before has to be of. */
  readonly ifMatch?: string | undefined;
  /** There must be none yet. */
  readonly isNew?: boolean;
}

interface SetLicence {
  readonly before: StoredLicence | undefined;
  readonly after: StoredLicence;
}

export type Licences = ReturnType<typeof createLicences>;

export interface LicencesDeps {
  readonly registry: Registry;
  readonly newId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const settingId = 'licence';

export function createLicences({ registry, newId, now }: LicencesDeps) {
  return {
    current: (): StoredLicence | undefined =>
      registry.get('settings', settingId)?.value as StoredLicence | undefined,
    /** Takes the place of the one before. @throws {ProblemError} `precondition_failed` */
    set: (licence: Licence, { ifMatch, isNew = false }: SetOptions = {}): Promise<SetLicence> =>
      registry.update((transaction) => {
        const before = storedIn(transaction);
        checkIsNew(before, isNew);
        checkVersion(before, ifMatch);
        const after = { ...licence, version: newId(), setAt: now() };
        transaction.put('settings', { id: settingId, value: after });
        return { before, after };
      }),
    /** @throws {ProblemError} `not_found`, `precondition_failed` */
    remove: ({ ifMatch }: Pick<SetOptions, 'ifMatch'> = {}): Promise<StoredLicence> =>
      registry.update((transaction) => {
        const stored = storedIn(transaction);
        if (!stored) throw new ProblemError(problems.notFound, 'There is no licence.');
        checkVersion(stored, ifMatch);
        transaction.remove('settings', settingId);
        return stored;
      }),
    /** Tells of changes, those of other processes too. @returns a function that ends the subscription */
    onChange: (listener: () => void): (() => void) =>
      registry.onChange((changed) => {
        if (changed.has('settings')) listener();
      }),
  };
}

function storedIn(transaction: Pick<RegistryTransaction, 'get'>): StoredLicence | undefined {
  return transaction.get('settings', settingId)?.value as StoredLicence | undefined;
}
