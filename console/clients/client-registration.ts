/** Clients as an administrator registers and changes them. Those that settings imply are not changed here. */

import { ProblemError, problems } from '../../platform/errors.ts';
import { checkRolesExist } from '../accounts/roles.ts';
import { clientValidFrom, clientValidSince } from '../accounts/validity.ts';
import { putVoidMark, voidMarkSeconds } from '../accounts/void-marks.ts';
import type { RecordReads, RecordStore, RecordTransaction } from '../storage/record-store.ts';
import type { ClientRecord, ClientSecretRecord } from '../storage/records.ts';
import type { Registry } from '../storage/storage.ts';
import type { CheckOutboundUrl } from './client-addresses.ts';
import { type ClientChange, changedClient } from './client-change.ts';
import { checkClientSecret, checkNewClient, type NewClient } from './client-rules.ts';
import { dashboardClientId, secretDigest } from './clients.ts';
import { applicationClientId } from './scopes.ts';

export interface ClientRegistrationDeps {
  readonly records: Pick<RecordStore, 'change'>;
  /** Knows the roles. */
  readonly registry: Pick<Registry, 'get' | 'all'>;
  readonly checkOutboundUrl: CheckOutboundUrl;
  /** Whether a client has a redirect address of this origin: then it is one that the console may call. */
  readonly isRedirectOrigin: (origin: string) => boolean | Promise<boolean>;
  /** At least 256 random bits, as text that needs no encoding in a Basic header. */
  readonly newSecret: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The only moment at which the secret is known: the registry keeps its digest. */
export interface RegisteredClient {
  readonly client: ClientRecord;
  /** Absent for a public client. */
  readonly secret?: string;
}

export interface SecretRotation {
  /** By default a random one. */
  readonly secret?: string | undefined;
  /** Ends the current secret at once instead of with the next rotation. */
  readonly revokesOld?: boolean;
}

export type ClientRegistration = ReturnType<typeof createClientRegistration>;

/** Ids with a meaning of their own, whatever the settings of this moment make of them. */
const reservedIds: readonly string[] = [applicationClientId, dashboardClientId, 'console'];

export function createClientRegistration(deps: ClientRegistrationDeps) {
  const { records, registry, newSecret, now } = deps;

  return {
    /** @throws {ProblemError} `invalid_request`, `invalid_url`, `conflict` */
    async add(newClient: NewClient): Promise<RegisteredClient> {
      const checked = checkNewClient(newClient, await checkOf(newClient));
      const secret = checked.isPublic ? undefined : chooseSecret(newClient.secret);
      const createdAt = now();
      const client: ClientRecord = {
        ...checked,
        disabled: false,
        secrets: secret === undefined ? [] : [secretRecord(secret, createdAt)],
        createdAt,
      };
      await records.change(async (transaction) => {
        await checkIsFree(transaction, client.id);
        checkRolesExist(registry, client.maxRoles ?? []);
        transaction.put('clients', client);
      });
      return { client, ...(secret === undefined ? {} : { secret }) };
    },
    /**
     * Gives a new secret. The newest earlier one stays valid until the next rotation, so that callers can
     * move over; there are never more than two.
     *
     * @throws {ProblemError} `invalid_request`, `not_found`, `conflict`
     */
    async rotateSecret(
      id: string,
      { secret: given, revokesOld = false }: SecretRotation = {},
    ): Promise<RegisteredClient> {
      const secret = chooseSecret(given);
      const client = await change(id, (current) => {
        if (current.isPublic) throw conflict(`The client ${id} is public and has no secret.`);
        const added = secretRecord(secret, now());
        if (current.secrets.some(({ sha256 }) => sha256 === added.sha256)) {
          throw conflict(`This is a secret of the client ${id} already.`);
        }
        const remaining = revokesOld ? [] : current.secrets.slice(0, 1);
        // Who gives up a secret at once thinks that somebody else has it, and tokens by it.
        const voided = revokesOld ? { tokensValidFrom: voidedFrom(current) } : {};
        return { ...current, secrets: [added, ...remaining], ...voided };
      });
      return { client, secret };
    },
    /** A disabled client gets no token, and those it has stop working. @throws {ProblemError} `not_found`, `conflict` */
    setDisabled: (id: string, disabled: boolean): Promise<ClientRecord> =>
      change(id, (client) => ({
        ...client,
        disabled,
        ...(disabled ? { tokensValidFrom: voidedFrom(client) } : {}),
      })),
    /**
     * Changes what is named. A change that takes something away (a scope, a role, a redirect address, or bearer tokens) voids what the
     * client had before, the sign-ins too that would give more of it. So does a role that people have not consented to.
     *
     * @throws {ProblemError} `invalid_request`, `not_found`, `conflict`
     */
    update: (id: string, changes: ClientChange): Promise<ClientRecord> =>
      change(id, async (before) => {
        const check = await checkOf({ ...before, ...changes });
        const { client, isVoided } = changedClient(before, changes, registry, check);
        return isVoided ? { ...client, tokensValidFrom: voidedFrom(before) } : client;
      }),
    /** @throws {ProblemError} `not_found`, `conflict` */
    async remove(id: string) {
      rejectReserved(id);
      await records.change(async (transaction) => {
        if (!(await transaction.get('clients', id))) throw unknownClient(id);
        transaction.remove('clients', id);
        putVoid(transaction, id, undefined);
      });
    },
  };

  function voidedFrom(client: ClientRecord): number {
    return clientValidFrom(client, now());
  }

  function chooseSecret(given: string | undefined): string {
    return given === undefined ? newSecret() : checkClientSecret(given);
  }

  /** Of addresses that the console calls: those at an origin of another client too. */
  async function checkOf({ backchannelLogoutUri: uri = '' }: CalledAddress): Promise<CheckOutboundUrl> {
    const origin = URL.canParse(uri) ? new URL(uri).origin : 'null';
    const known = (await deps.isRedirectOrigin(origin)) ? [origin] : [];
    return (url, origins = []) => deps.checkOutboundUrl(url, [...origins, ...known]);
  }

  function change(
    id: string,
    edit: (client: ClientRecord) => ClientRecord | Promise<ClientRecord>,
  ): Promise<ClientRecord> {
    rejectReserved(id);
    return records.change(async (transaction) => {
      const before = await transaction.get('clients', id);
      if (!before) throw unknownClient(id);
      const client = await edit(before);
      transaction.put('clients', client);
      const from = clientValidSince(client);
      if (from !== clientValidSince(before)) putVoid(transaction, id, from);
      return client;
    });
  }

  /** For those who check tokens of the client without looking at it (S34). */
  function putVoid(transaction: RecordTransaction, id: string, from: number | undefined): void {
    putVoidMark(transaction, { party: 'client', id, from, until: Math.ceil(now() / 1000) + voidMarkSeconds });
  }
}

interface CalledAddress {
  readonly backchannelLogoutUri?: string | undefined;
}

function secretRecord(secret: string, createdAt: number): ClientSecretRecord {
  return { sha256: secretDigest(secret), createdAt };
}

/** A subject must name one party only, a user or a client (S14). */
async function checkIsFree(reads: Pick<RecordReads, 'get'>, id: string): Promise<void> {
  if (reservedIds.includes(id)) throw conflict(`The client id ${id} is the console's own.`);
  if (await reads.get('clients', id)) throw conflict(`There is a client ${id} already.`);
  if (await reads.get('users', id)) throw conflict(`The client id ${id} is the id of a user.`);
}

function rejectReserved(id: string): void {
  if (reservedIds.includes(id)) {
    throw conflict(`The client ${id} follows from the settings: change it there.`);
  }
}

function unknownClient(id: string): ProblemError {
  return new ProblemError(problems.notFound, `There is no client ${id.replace(/[^\x20-\x7e]/g, '?')}.`);
}

function conflict(detail: string): ProblemError {
  return new ProblemError(problems.conflict, detail);
}
