/** Emits what changes about tokens as it changes: what was made void, revocations, keys. */
import { type Clients, settingsClientIds } from '../../clients/clients.ts';
import type { Keys } from '../../keys/keys.ts';
import type { Revocations } from '../revocations.ts';
import type { Voided } from '../voids/voids.ts';
import { type RevocationEvent, revocationEventsVersion } from './revocation-event.ts';

export interface RevocationSourceDeps {
  readonly revocations: Pick<Revocations, 'all' | 'onRevoked' | 'voids' | 'onVoided'>;
  readonly clients: Pick<Clients, 'isUnset'>;
  readonly keys: Pick<Keys, 'published' | 'onChange'>;
  /** What administrators have defined, by name. */
  readonly customRoles: () => ReadonlyMap<string, readonly string[]>;
  /** `host:port` of members that get no calls but by their name. */
  readonly drainedMembers: () => readonly string[];
  /** Values that are others, or objects that are replaced, whenever roles, keys, clients of settings or drained members may have changed. */
  readonly versions: () => readonly unknown[];
  /** Tells that they may have been. */
  readonly onChange: (listener: () => void) => () => void;
  /** Tells that pages of other origins may call. */
  readonly onOriginsChange: (listener: () => void) => () => void;
}

/** What has been told so far, by what it is about. */
type PublishedState = Map<string, RevocationEvent>;

export function createRevocationSource(deps: RevocationSourceDeps) {
  const { revocations, clients, keys, customRoles, drainedMembers, versions } = deps;
  const followers = new Set<(events: readonly RevocationEvent[]) => void>();
  let publishedState: PublishedState = new Map();
  let publishedAt: readonly unknown[] = [];
  const subscriptions = [
    deps.onChange(update),
    keys.onChange(update),
    deps.onOriginsChange(() => emit([{ type: 'origins' }])),
    revocations.onRevoked((revoked) => emit(revoked.map(revocation))),
    revocations.onVoided((voided) => emit(eventsOf(voided))),
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
      listener([
        { type: 'start', version: revocationEventsVersion },
        ...publishedState.values(),
        ...eventsOf(revocations.voids()),
        ...[...revocations.all()].map(revocation),
        { type: 'complete' },
      ]);
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
    // What settings say of clients decides too which pages may call.
    emit([...gone, ...changed, { type: 'origins' }]);
  }

  function emit(events: readonly RevocationEvent[]): void {
    if (events.length > 0) for (const listener of [...followers]) listener(events);
  }

  /** What is few, so that it can be compared as a whole. */
  function standing(): PublishedState {
    const now: PublishedState = new Map();
    for (const id of settingsClientIds)
      if (clients.isUnset(id)) now.set(`client ${id}`, { type: 'client', id });
    for (const [name, permissions] of customRoles()) {
      now.set(`role ${name}`, { type: 'role', name, permissions });
    }
    const members = drainedMembers();
    if (members.length > 0) now.set('drained', { type: 'drained', members });
    now.set('keys', { type: 'keys', kids: keys.published().map(({ key }) => key.kid) });
    return now;
  }
}

function eventsOf({ voidMarks, floors }: Voided): RevocationEvent[] {
  return [
    ...floors.map(({ party, before }): RevocationEvent => ({ type: 'floor', party, before })),
    ...voidMarks.map(
      ({ party, id, from, until }): RevocationEvent =>
        from === undefined ? { type: party, id, until } : { type: party, id, from, until },
    ),
  ];
}

function revocation([jti, until]: readonly [jti: string, until: number]): RevocationEvent {
  return { type: 'token', jti, until: Number.isFinite(until) ? until : Number.MAX_SAFE_INTEGER };
}

function ending(event: RevocationEvent): RevocationEvent[] {
  switch (event.type) {
    case 'client':
      return [{ type: 'client', id: event.id, from: 0 }];
    case 'role':
      return [{ type: 'role', name: event.name }];
    case 'drained':
      return [{ type: 'drained', members: [] }];
    default:
      return [];
  }
}

function isSame(before: RevocationEvent | undefined, after: RevocationEvent): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
