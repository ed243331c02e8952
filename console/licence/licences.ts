/** The licence of this installation: one at a time, in the registry, so that backups hold it too. */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Registry } from '../storage/storage.ts';
import type { Licence } from './licence-file.ts';

export interface KeptLicence extends Licence {
  /** Another one each time that a licence is set, be it the same. */
  readonly version: string;
  /** Epoch milliseconds. */
  readonly setAt: number;
}

export interface Licences {
  current(): KeptLicence | undefined;
  /** Takes the place of the one before. */
  set(licence: Licence): Promise<KeptLicence>;
  /** @throws {ProblemError} `not_found` */
  remove(): Promise<KeptLicence>;
  /** Tells of changes, those of other processes too. @returns a function that ends the subscription */
  onChange(listener: () => void): () => void;
}

export interface LicencesDeps {
  readonly registry: Registry;
  readonly newId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const settingId = 'licence';

export function createLicences({ registry, newId, now }: LicencesDeps): Licences {
  return {
    current: () => registry.get('settings', settingId)?.value as KeptLicence | undefined,
    async set(licence) {
      const kept = { ...licence, version: newId(), setAt: now() };
      await registry.update((transaction) => transaction.put('settings', { id: settingId, value: kept }));
      return kept;
    },
    remove: () =>
      registry.update((transaction) => {
        const kept = transaction.get('settings', settingId)?.value as KeptLicence | undefined;
        if (!kept) throw new ProblemError(problems.notFound, 'There is no licence.');
        transaction.remove('settings', settingId);
        return kept;
      }),
    onChange: (listener) =>
      registry.onChange((changed) => {
        if (changed.has('settings')) listener();
      }),
  };
}
