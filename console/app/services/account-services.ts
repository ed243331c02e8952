/** Users with their passwords, roles and invitations, and what is kept of how they sign in. */
import { randomBytes } from 'node:crypto';
import { createCustomRoles } from '../../accounts/custom-roles.ts';
import { createElevations } from '../../accounts/elevations/elevations.ts';
import { createLockedNames } from '../../accounts/guessing/locked-names.ts';
import { costliestImportedHash } from '../../accounts/password-hashes/imported-hashes.ts';
import { createPasswords, type Passwords } from '../../accounts/passwords.ts';
import { createPins } from '../../accounts/pins.ts';
import { createSignInTimes } from '../../accounts/sign-in-times.ts';
import { createInvitations } from '../../accounts/users/invitations.ts';
import { createUsers } from '../../accounts/users.ts';
import type { AccountRecords } from '../../accounts/voiding.ts';
import { isPermission } from '../../clients/client-rules.ts';
import type { Providers } from '../../federation/providers/providers.ts';
import { idsByTime } from '../../storage/time-ordered-id.ts';
import type { ServicesDeps } from './services-deps.ts';

export function createConsolePasswords({
  settings: { passwordMinLength },
  storage: { registry },
  log,
}: Pick<ServicesDeps, 'settings' | 'storage' | 'log'>): Passwords {
  return createPasswords({
    minCharacters: passwordMinLength,
    concurrency: 2,
    maxWaiting: 64,
    costliestImported: () => costliestImportedHash(registry),
    onDamagedHash: (subject) =>
      log.error({ subject }, 'a stored password hash is damaged: give the account another password'),
  });
}

interface AccountServicesDeps {
  readonly accounts: AccountRecords;
  readonly passwords: Passwords;
  readonly providers: Providers;
}

export function createAccountServices(
  {
    settings: { url, elevationMinutes },
    storage: { registry, artifacts },
    now,
  }: Pick<ServicesDeps, 'settings' | 'storage' | 'now'>,
  { accounts: records, passwords, providers }: AccountServicesDeps,
) {
  const accountsValidFrom = (id: string) => providers.accountsValidFrom(id);
  const newId = idsByTime(now);
  return {
    users: createUsers({ records, registry, passwords, newId, now, accountsValidFrom }),
    elevations: createElevations({ records, artifacts, maxMinutes: elevationMinutes, now }),
    roles: createCustomRoles({ registry, records, isPermission, now }),
    invitations: createInvitations({
      records,
      artifacts,
      passwords,
      newToken: () => randomBytes(32).toString('base64url'),
      url,
      now,
    }),
    pins: createPins({ artifacts }),
    times: createSignInTimes({ artifacts }),
    lockedNames: createLockedNames({ artifacts }),
  };
}
