/** What clients are listed by, and who is in a list. */
import { foldedName } from './name-keys.ts';
import type { ClientCount, ClientFilter, ClientKind, ClientStatus } from './record-store.ts';
import type { ClientRecord } from './records.ts';

/** More of a name are not found. */
const mostWords = 8;

/** An application signs people in; a machine asks for itself alone. */
export function kindOfClient({ grantTypes }: Pick<ClientRecord, 'grantTypes'>): ClientKind {
  return grantTypes.some((grant) => grant !== 'client_credentials') ? 'application' : 'machine';
}

export function statusOfClient({ disabled }: Pick<ClientRecord, 'disabled'>): ClientStatus {
  return disabled ? 'disabled' : 'active';
}

/** Folded, each once. */
export function wordsOfName(name: string): readonly string[] {
  const words = foldedName(name)
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter(Boolean);
  return [...new Set(words)].slice(0, mostWords);
}

/**
 * By which a client is found that is looked for by the beginning of its id or of words of its name: of several words,
 * each has to begin one.
 *
 * @returns its id, else the first such word; undefined: it is not found
 */
export function foundBy(
  { id, name = '' }: Pick<ClientRecord, 'id' | 'name'>,
  beginning: string,
): { readonly id?: string; readonly word?: string } | undefined {
  if (foldedName(id).startsWith(foldedName(beginning))) return { id: foldedName(id) };
  const [asked, words] = [wordsOfName(beginning), wordsOfName(name)];
  if (asked.length === 0 || !asked.every((one) => words.some((word) => word.startsWith(one))))
    return undefined;
  return { word: words.filter((word) => word.startsWith(asked[0]!)).sort()[0]! };
}

export function isInClientList(
  client: ClientRecord,
  { ceilingRole, beginning, kind, status, scope }: ClientFilter,
): boolean {
  if (ceilingRole !== undefined && client.maxRoles?.includes(ceilingRole) !== true) return false;
  if (kind !== undefined && kindOfClient(client) !== kind) return false;
  if (status !== undefined && statusOfClient(client) !== status) return false;
  if (scope !== undefined && !client.scopes.includes(scope)) return false;
  return beginning === undefined || foundBy(client, beginning) !== undefined;
}

/** What the index says of clients: machines and those that are active are the others. */
export interface CountedClients {
  readonly all: number;
  readonly applications: number;
  readonly disabled: number;
  readonly disabledApplications: number;
}

/** How many of those that are counted are of a kind, have a status, or both. */
export function countOfClients(
  { kind, status }: ClientCount,
  { all, applications, disabled, disabledApplications }: CountedClients,
): number {
  const [every, off] =
    kind === undefined
      ? [all, disabled]
      : kind === 'application'
        ? [applications, disabledApplications]
        : [all - applications, disabled - disabledApplications];
  if (status === undefined) return every;
  return status === 'disabled' ? off : every - off;
}
