/** Emits what changes about tokens as it changes: registrations, revocations, keys. */
import type { Clients } from '../../clients/clients.ts';
import type { Keys } from '../../keys/keys.ts';
import type { Revocations } from '../revocations.ts';
import type { RevocationEvent } from './revocation-event.ts';

export type RevocationSource = ReturnType<typeof createRevocationSource>;

export interface RevocationSourceDeps {
  readonly revocations: Pick<Revocations, 'all' | 'onRevoked'>;
  readonly clients: Pick<Clients, 'list' | 'validSince' | 'origins'>;
  readonly accounts: {
    readonly ids: () => Iterable<string>;
    readonly validSince: (id: string) => number | undefined;
  };
  readonly keys: Pick<Keys, 'published' | 'onChange'>;
  /** What administrators have defined, by name. */
  readonly customRoles: () => ReadonlyMap<string, readonly string[]>;
  /** Objects that are replaced, never changed, whenever what is told here may have changed. */
  readonly versions: () => readonly unknown[];
  /** Tells that they may have been. */
  readonly onChange: (listener: () => void) => () => void;
}

/** What has been told so far, by what it is about. */
type PublishedState = Map<string, RevocationEvent>;

export function createRevocationSource(deps: RevocationSourceDeps) {
  const { revocations, clients, accounts, keys, customRoles, versions } = deps;
  const followers = new Set<(events: readonly RevocationEvent[]) => void>();
  let publishedState: PublishedState = new Map();
  let publishedAt: readonly unknown[] = [];
  const subscriptions = [
    deps.onChange(update),
    keys.onChange(update),
    revocations.onRevoked((revoked) => emit(revoked.map(revocation))),
  ];

  return {
    /**
     * Tells everything that holds now, at once, and from then on what changes.
     *
     * @returns a function that ends it
     */
    follow(listener: (events: readonly RevocationEvent[]) => void): () => void {
      if (followers.size === 0) {
        publishedAt = versions();
        publishedState = standing();
      } else {
        update();
      }
      listener([...publishedState.values(), ...[...revocations.all()].map(revocation), { type: 'complete' }]);
      followers.add(listener);
      return () => followers.delete(listener);
    },
    /** Tells followers what has changed, if anything has: for what changes without anybody saying so. */
    update,
    close() {
      for (const stop of subscriptions) stop();
    },
  };

  function update(): void {
    const at = versions();
    if (followers.size === 0 || at.every((version, i) => version === publishedAt[i])) return;
    publishedAt = at;
    const now = standing();
    const gone = [...publishedState].flatMap(([about, event]) => (now.has(about) ? [] : ending(event)));
    const changed = [...now].flatMap(([about, event]) =>
      isSame(publishedState.get(about), event) ? [] : [event],
    );
    publishedState = now;
    emit([...gone, ...changed]);
  }

  function emit(events: readonly RevocationEvent[]): void {
    if (events.length > 0) for (const listener of [...followers]) listener(events);
  }

  /** Everything but revocations, which only ever grow. */
  function standing(): PublishedState {
    const now: PublishedState = new Map();
    for (const { id } of clients.list()) addParty(now, 'client', id, clients.validSince(id));
    for (const id of accounts.ids()) addParty(now, 'account', id, accounts.validSince(id));
    for (const [name, permissions] of customRoles()) {
      now.set(`role ${name}`, { type: 'role', name, permissions });
    }
    now.set('keys', { type: 'keys', kids: keys.published().map(({ key }) => key.kid) });
    now.set('origins', { type: 'origins', origins: [...clients.origins()] });
    return now;
  }
}

/** Who counts for nothing is not named: that says the same. */
function addParty(
  now: PublishedState,
  type: 'client' | 'account',
  id: string,
  from: number | undefined,
): void {
  if (from !== undefined) now.set(`${type} ${id}`, { type, id, from });
}

function revocation([jti, until]: readonly [jti: string, until: number]): RevocationEvent {
  return { type: 'token', jti, until: Number.isFinite(until) ? until : Number.MAX_SAFE_INTEGER };
}

function ending(event: RevocationEvent): RevocationEvent[] {
  switch (event.type) {
    case 'client':
    case 'account':
      return [{ type: event.type, id: event.id }];
    case 'role':
      return [{ type: 'role', name: event.name }];
    default:
      return [];
  }
}

function isSame(before: RevocationEvent | undefined, after: RevocationEvent): boolean {
  if (before?.type === 'account' && after.type === 'account') return before.from === after.from;
  return JSON.stringify(before) === JSON.stringify(after);
}
