/** The licence of this installation: one at a time, in the registry, so that backups hold it too. */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Registry } from '../storage/storage.ts';
import type { Licence } from './licence-file.ts';

export interface StoredLicence extends Licence {
  /** Another one each time that a licence is set, be it the same. */
  readonly version: string;
  /** Epoch milliseconds. */
  readonly setAt: number;
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
    /** Takes the place of the one before. */
    async set(licence: Licence): Promise<StoredLicence> {
      const stored = { ...licence, version: newId(), setAt: now() };
      await registry.update((transaction) => transaction.put('settings', { id: settingId, value: stored }));
      return stored;
    },
    /** @throws {ProblemError} `not_found` */
    remove: (): Promise<StoredLicence> =>
      registry.update((transaction) => {
        const stored = transaction.get('settings', settingId)?.value as StoredLicence | undefined;
        if (!stored) throw new ProblemError(problems.notFound, 'There is no licence.');
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
