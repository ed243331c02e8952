/** What duties are done with: the services on a store that takes writes of whoever leads alone. */
import { createElevations } from '../../accounts/elevations/elevations.ts';
import { createAccountRecords } from '../../accounts/voiding.ts';
import { createBulkChanges } from '../../jobs/bulk-changes.ts';
import { createJobs } from '../../jobs/jobs.ts';
import { createReadRows } from '../../jobs/read-rows.ts';
import { createDeliveries } from '../../licence/deliveries.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Services } from '../services.ts';
import { createRegistrationOf } from './provider-services.ts';
import { createNoticesOutbox } from './session-services.ts';

export interface LeadingServices extends Services {
  /** Whether it is not over yet. Left out where this process always leads. */
  readonly isLeading?: () => boolean;
}

/** @param storage  as console/storage/engine/while-leading.ts gives it to a duty */
export function leadingServices(services: Services, storage: Storage): LeadingServices {
  if (storage === services.storage) return services;
  const { settings, sessions, licences, application, cipher } = services;
  // Whoever leads does nothing early or late because its own clock is off.
  const now = storage.clock ?? services.now;
  const accounts = createAccountRecords({
    records: storage.records,
    // What has been committed is carried through, whoever leads by then.
    endSessionsOf: (accountId) => sessions.endAllOf(accountId),
    now,
  });
  const { artifacts } = storage;
  return {
    ...services,
    storage,
    now,
    isLeading: () => storage.leadership?.term() !== undefined,
    accounts,
    elevations: createElevations({
      records: accounts,
      artifacts,
      maxMinutes: settings.elevationMinutes,
      now,
    }),
    logoutOutbox: createNoticesOutbox({ ...services, storage }),
    licenceDeliveries: createDeliveries({
      artifacts,
      licences,
      address: () => application().internalAddress,
      now,
    }),
    jobs: createJobs({ artifacts, now }),
    bulkChanges: createBulkChanges({ artifacts }),
    readRows: createReadRows({ artifacts, cipher, now }),
    providerRegistration: createRegistrationOf({ storage, now }, { ...services, accounts }),
  };
}
