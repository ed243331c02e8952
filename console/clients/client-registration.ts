/** Clients as an administrator registers and changes them. Those that settings imply are not changed here. */

import { isDeepStrictEqual } from 'node:util';
import { ProblemError, problems } from '../../platform/errors.ts';
import { checkRolesGiven } from '../accounts/roles.ts';
import { clientValidFrom, clientValidSince } from '../accounts/validity.ts';
import { putVoidMark, voidMarkSeconds } from '../accounts/void-marks.ts';
import { kindOfClient } from '../storage/client-lists.ts';
import type { ClientKind, RecordReads, RecordStore, RecordTransaction } from '../storage/record-store.ts';
import { checkIsNew, checkVersion } from '../storage/record-version.ts';
import type { ClientRecord, ClientSecretRecord } from '../storage/records.ts';
import type { Registry } from '../storage/storage.ts';
import type { CheckOutboundUrl } from './client-addresses.ts';
import { type ChangedClient, type ClientChange, changedClient, wholeChange } from './client-change.ts';
import { type CheckedClient, checkNewClient, type NewClient } from './client-rules.ts';
import {
  type EndedSecrets,
  isLive,
  type MadeSecret,
  makeSecret,
  type NewSecret,
  type SecretDeps,
  withoutSecret,
  withSecret,
} from './client-secrets.ts';
import { settingsClientIds } from './clients.ts';
import { invalid } from './registration-errors.ts';
import { ceilingOf } from './role-ceiling.ts';

export interface ClientRegistrationDeps extends SecretDeps {
  /** The only way by which anything is changed: within a larger change, hand in one that works on its transaction. */
  readonly records: Pick<RecordStore, 'change'>;
  /** Knows the roles, for what is said of one that there is not. */
  readonly registry: Pick<Registry, 'all'>;
  readonly checkOutboundUrl: CheckOutboundUrl;
  /** Whether a client has a redirect address of this origin: then it is one that the console may call. */
  readonly isRedirectOrigin: (origin: string) => boolean | Promise<boolean>;
}

/** A client that was registered, changed or removed. */
export interface RegisteredClient {
  /** As it is now; of one that was removed, as it was. */
  readonly client: ClientRecord;
  /** Absent: it is new. The same object as `client`: nothing was to be changed. */
  readonly before?: ClientRecord;
}

/** The only moment at which the secret is known: the registry keeps its digest. */
export interface ClientWithSecret extends RegisteredClient {
  /** Absent for a public client, and for one that proves itself by a key. */
  readonly made?: MadeSecret;
}

/** What a change may be bound to. */
export interface Precondition {
  /** Only while the client is of this version. */
  readonly ifMatch?: string | undefined;
  /** Only when there is none yet. */
  readonly isNew?: boolean;
  /** Only one of this kind: another is not there for who asks. */
  readonly kind?: ClientKind | undefined;
  /** Whether who asks may give what a client has: of before and of after. @throws {ProblemError} `escalation` */
  readonly checkMayGrant?: (...these: readonly ClientPrivileges[]) => void;
}

/** The most that it gets of anybody's roles, and what it may ask for. */
export interface ClientPrivileges {
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
}

export interface AddedSecret extends NewSecret {
  readonly ends?: EndedSecrets;
  /** Of the secrets that go on, epoch milliseconds. */
  readonly othersEndAt?: number;
  /** They end when the new one is used. */
  readonly othersEndOnUse?: boolean;
}

export interface RemovedSecret {
  readonly secretId: string;
  /** By default; not where whoever had it is trusted. */
  readonly endsTokens?: boolean;
}

export type ClientRegistration = ReturnType<typeof createClientRegistration>;

/** Ids with a meaning of their own, whatever the settings of this moment make of them. */
const reservedIds: readonly string[] = [...settingsClientIds, 'console'];

export function createClientRegistration(deps: ClientRegistrationDeps) {
  const { records, registry, now } = deps;

  return {
    /** @throws {ProblemError} `invalid_request`, `invalid_url`, `already_exists`, `conflict` */
    async add(
      newClient: NewClient,
      newSecret: NewSecret = {},
      when: Precondition = {},
    ): Promise<ClientWithSecret> {
      const checked = checkNewClient(newClient, await checkOf(newClient));
      if (checked.isPublic && newSecret.secret !== undefined)
        throw invalid('A public client has no secret.', '/secret');
      const hasOther = checked.isPublic || (checked.jwks !== undefined && newSecret.secret === undefined);
      const made = hasOther ? undefined : makeSecret(newSecret, deps);
      const client = newRecord(checked, made ? [made.record] : []);
      await records.change((transaction) => putNew(transaction, client, when));
      return { client, ...(made === undefined ? {} : { made }) };
    },
    /**
     * Makes one without a secret, or changes one that is there to what is said and the defaults for the rest; its
     * secrets stay.
     *
     * @throws {ProblemError} as {@link ClientRegistration.add} and {@link ClientRegistration.update}
     */
    async put(newClient: NewClient, when: Precondition = {}): Promise<RegisteredClient> {
      const { id } = newClient;
      rejectReserved(id);
      const check = await checkOf(newClient);
      return records.change(async (transaction) => {
        const before = await transaction.get('clients', id);
        checkIsNew(before, when.isNew ?? false);
        checkVersion(before, when.ifMatch);
        if (before && isAnother(before, when))
          throw conflict(`The client ${id} is a ${kindOfClient(before)}.`);
        if (before) return edit(transaction, before, redefined(before, newClient, check), when);
        const client = newRecord(checkNewClient(newClient, check), []);
        await putNew(transaction, client, when);
        return { client };
      });
    },
    /**
     * There are never more than two that are good.
     *
     * @throws {ProblemError} `invalid_request`, `not_found`, `conflict`
     */
    async addSecret(
      id: string,
      { ends, othersEndAt, othersEndOnUse, ...newSecret }: AddedSecret = {},
      when?: Precondition,
    ): Promise<ClientWithSecret & { readonly made: MadeSecret }> {
      const made = makeSecret(newSecret, deps);
      const done = await change(id, when, (current) => ({
        ...current,
        secrets: withSecret(current, made, { ends, othersEndAt, othersEndOnUse }, now()),
        // Who gives up a secret at once thinks that somebody else has it, and tokens by it.
        ...(ends === 'all' ? { tokensValidFrom: voidedFrom(current) } : {}),
      }));
      return { ...done, made };
    },
    /** @throws {ProblemError} `not_found`, `conflict` */
    removeSecret: (
      id: string,
      { secretId, endsTokens = true }: RemovedSecret,
      when?: Precondition,
    ): Promise<RegisteredClient> =>
      change(id, when, (current) => {
        const found = withoutSecret(current, secretId);
        if (!found) throw new ProblemError(problems.notFound, 'This client has no secret of this id.');
        const isOver = !endsTokens || !isLive(found.removed, now());
        const voided = isOver ? {} : { tokensValidFrom: voidedFrom(current) };
        return { ...current, secrets: found.secrets, ...voided };
      }),
    /** A disabled client gets no token, and those it has stop working. @throws {ProblemError} `not_found`, `conflict` */
    setDisabled: (id: string, disabled: boolean, when?: Precondition): Promise<RegisteredClient> =>
      change(id, when, (client) => ({
        ...client,
        disabled,
        ...(disabled && !client.disabled ? { tokensValidFrom: voidedFrom(client) } : {}),
      })),
    /**
     * Changes what is named. A change that takes something away (a scope, a role, a redirect address, or bearer tokens) voids what the
     * client had before, the sign-ins too that would give more of it. So does a role that people have not consented to.
     *
     * @throws {ProblemError} `invalid_request`, `not_found`, `conflict`
     */
    async update(id: string, changes: ClientChange, when?: Precondition): Promise<RegisteredClient> {
      const check = await checkOf(changes);
      return change(id, when, (before) => voidedBy(before, changedClient(before, changes, check)));
    },
    /** @throws {ProblemError} `not_found`, `conflict` */
    async remove(id: string, when: Precondition = {}): Promise<RegisteredClient> {
      rejectReserved(id);
      return records.change(async (transaction) => {
        const client = await transaction.get('clients', id);
        if (!client || isAnother(client, when)) throw unknownClient(id);
        checkVersion(client, when.ifMatch);
        when.checkMayGrant?.(privilegesOf(client));
        transaction.remove('clients', id);
        putVoid(transaction, id, undefined);
        return { client, before: client };
      });
    },
  };

  function newRecord(checked: CheckedClient, secrets: readonly ClientSecretRecord[]): ClientRecord {
    return { ...checked, disabled: false, secrets, createdAt: secrets[0]?.createdAt ?? now() };
  }

  async function putNew(
    transaction: RecordTransaction,
    client: ClientRecord,
    { checkMayGrant }: Precondition,
  ): Promise<void> {
    checkMayGrant?.(privilegesOf(client));
    await checkIsFree(transaction, client.id);
    await checkRolesGiven(transaction, registry, client.maxRoles ?? []);
    transaction.put('clients', client);
  }

  function redefined(before: ClientRecord, newClient: NewClient, check: CheckOutboundUrl): ClientRecord {
    return voidedBy(before, changedClient(before, wholeChange(newClient), check));
  }

  function voidedBy(before: ClientRecord, { client, isVoided }: ChangedClient): ClientRecord {
    return isVoided ? { ...client, tokensValidFrom: voidedFrom(before) } : client;
  }

  function voidedFrom(client: ClientRecord): number {
    return clientValidFrom(client, now());
  }

  /** Of addresses that the console calls: those at an origin of another client too. */
  async function checkOf({ backchannelLogoutUri: uri = '' }: CalledAddress): Promise<CheckOutboundUrl> {
    const origin = URL.canParse(uri) ? new URL(uri).origin : 'null';
    const known = (await deps.isRedirectOrigin(origin)) ? [origin] : [];
    return (url, origins = []) => deps.checkOutboundUrl(url, [...origins, ...known]);
  }

  function change(
    id: string,
    when: Precondition = {},
    changed: (client: ClientRecord) => ClientRecord,
  ): Promise<RegisteredClient> {
    rejectReserved(id);
    return records.change(async (transaction) => {
      const before = await transaction.get('clients', id);
      if (!before || isAnother(before, when)) throw unknownClient(id);
      checkVersion(before, when.ifMatch);
      return edit(transaction, before, changed(before), when);
    });
  }

  /** Who changes nothing leaves the version as it is. */
  async function edit(
    transaction: RecordTransaction,
    before: ClientRecord,
    after: ClientRecord,
    { checkMayGrant }: Precondition,
  ): Promise<RegisteredClient> {
    checkMayGrant?.(privilegesOf(before), privilegesOf(after));
    if (isDeepStrictEqual(after, before)) return { client: before, before };
    const given = after.maxRoles?.filter((role) => !before.maxRoles?.includes(role)) ?? [];
    await checkRolesGiven(transaction, registry, given);
    const client = { ...after, updatedAt: now() };
    transaction.put('clients', client);
    const from = clientValidSince(client);
    if (from !== clientValidSince(before)) putVoid(transaction, before.id, from);
    return { client, before };
  }

  /** For those who check tokens of the client without looking at it (S34). */
  function putVoid(transaction: RecordTransaction, id: string, from: number | undefined): void {
    putVoidMark(transaction, { party: 'client', id, from, until: Math.ceil(now() / 1000) + voidMarkSeconds });
  }
}

interface CalledAddress {
  readonly backchannelLogoutUri?: string | undefined;
}

function privilegesOf(client: ClientRecord): ClientPrivileges {
  const isApplication = kindOfClient(client) === 'application';
  return { roles: isApplication ? (ceilingOf(client) ?? ['Admin']) : [], scopes: client.scopes };
}

function isAnother(client: ClientRecord, { kind }: Precondition): boolean {
  return kind !== undefined && kindOfClient(client) !== kind;
}

/** A subject must name one party only, a user or a client (S14). */
async function checkIsFree(reads: Pick<RecordReads, 'get'>, id: string): Promise<void> {
  if (reservedIds.includes(id)) throw conflict(`The client id ${id} is the console's own.`);
  if (await reads.get('clients', id))
    throw new ProblemError(problems.alreadyExists, `There is a client ${id} already.`);
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
