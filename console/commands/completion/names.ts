/** Names of objects, for shells that complete them: of a console that runs, or of the one that `--url` names. */
import type { OperationId } from '../operations/api-caller.ts';
import { type Command, UsageError } from '../runner/command.ts';

/** `isSearched`: the operation takes `q`. */
const lists: Readonly<Record<string, { readonly id: OperationId; readonly isSearched?: boolean }>> = {
  user: { id: 'listUsers', isSearched: true },
  role: { id: 'listRoles' },
  client: { id: 'listClients', isSearched: true },
  idp: { id: 'listIdentityProviders' },
  session: { id: 'listSessions' },
  member: { id: 'listMembers' },
  map: { id: 'listMaps', isSearched: true },
  queue: { id: 'listQueues', isSearched: true },
};

/** Whether this is an object whose names are completed. */
export function hasNames(object: string): boolean {
  return Object.hasOwn(lists, object);
}

/** A person who has more before them types on. */
const mostNames = 100;

interface Named {
  readonly id: string;
}

export const completedNames: Command = {
  isOnApi: true,
  name: 'complete',
  summary: 'Prints the names of objects of one kind that begin so, for the scripts of completion.',
  positionals: ['<object>', '[<beginning>]'],
  async run({ positionals: [object = '', beginning = ''], has }, { api, whereabouts }) {
    const list = hasNames(object) ? lists[object] : undefined;
    if (!list) throw new UsageError(`The objects are ${Object.keys(lists).join(', ')}.`);
    // A key that is pressed opens no store.
    if (!has('url') && (await whereabouts?.())?.way === 'store') return { text: '', json: [] };
    const q = list.isSearched && beginning !== '' ? { q: beginning } : {};
    const limit = list.isSearched ? mostNames : 500;
    const { items } = (await api.call(list.id, { query: { ...q, limit } })).body as {
      readonly items: readonly Named[];
    };
    const names = items
      .map(({ id }) => id)
      .filter((id) => isPlain(id) && id.startsWith(beginning))
      .slice(0, mostNames);
    return { text: names.join('\n'), json: names };
  },
};

/** Others would have to be quoted, each shell in its way; and none may say anything to a shell. */
function isPlain(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._@:/-]*$/u.test(name);
}
