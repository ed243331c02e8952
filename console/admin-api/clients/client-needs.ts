/** What the operations on clients need, and at which addresses they are. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { Sessions } from '../../accounts/sessions.ts';
import type { ClientRegistration } from '../../clients/client-registration.ts';
import type { Clients } from '../../clients/clients.ts';
import type { ClientUses } from '../../clients/uses/client-last-used.ts';
import type { Cursors } from '../../operations/lists.ts';
import type { PermissionsOf } from '../../operations/privileges.ts';
import { kindOfClient } from '../../storage/client-lists.ts';
import type { ClientKind } from '../../storage/record-store.ts';
import type { ClientRecord } from '../../storage/records.ts';
import type { UsageNeeds } from '../access/access-usage.ts';
import type { client } from './client-form.ts';

export interface ClientNeeds {
  readonly clients: Pick<Clients, 'find' | 'page' | 'byId' | 'countOf'>;
  readonly clientUses: Pick<ClientUses, 'readOf'>;
  readonly registration: ClientRegistration;
  readonly sessions: Pick<Sessions, 'countAt'>;
  readonly logoutOutbox: {
    lastAt(clientIds: readonly string[]): Promise<readonly (EndedLogout | undefined)[]>;
  };
  readonly tokenTrial: TokenTrial;
  readonly usageAnswers: Pick<UsageNeeds['usageAnswers'], 'unusedGrants'>;
  readonly roles: { readonly permissionsOf: PermissionsOf };
  readonly cursors: Cursors;
}

/** What became of telling an application that a session has ended. Times are epoch milliseconds. */
export interface EndedLogout {
  readonly endedAt: number;
  readonly at: number;
  readonly tries: number;
  /** Why it failed. */
  readonly reason?: string | undefined;
}

/** One of the two addresses, and which clients are there. */
export interface ClientAddress {
  readonly path: '/clients' | '/applications';
  /** In ids of operations. */
  readonly name: 'Client' | 'Application';
  /** In sentences. */
  readonly word: 'client' | 'application';
  readonly form: typeof client;
  /** Undefined: of each kind. */
  readonly kind?: ClientKind;
}

export interface ClientParams {
  readonly client: string;
}

export interface AskedToken {
  /** Without them, all that it may ask for and that go together. */
  readonly scopes?: readonly string[];
  /** The resource parameter; by default what the scopes say. */
  readonly resource?: string;
}

/** @throws {ProblemError} `invalid_request` for a scope that it may not ask for */
export type TokenTrial = (client: ClientRecord, asked: AskedToken) => Promise<object>;

/** @throws {ProblemError} `not_found` */
export async function findClient(
  id: string,
  kind: ClientKind | undefined,
  { clients }: Pick<ClientNeeds, 'clients'>,
): Promise<ClientRecord> {
  const found = await clients.find(id);
  if (found && (kind === undefined || kindOfClient(found) === kind)) return found;
  throw new ProblemError(problems.notFound, `There is no ${kind ?? 'client'} of this id.`);
}
