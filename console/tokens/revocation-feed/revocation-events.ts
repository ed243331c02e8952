/** Tells what changes about tokens as it changes: registrations, revocations, keys. */
import type { Clients } from '../../clients/clients.ts';
import type { Keys } from '../../keys/keys.ts';
import type { Revocations } from '../revocations.ts';
import type { TokenNews } from './revocation-event.ts';

export interface TokenNewsSource {
  /**
   * Tells everything that holds now, at once, and from then on what changes.
   *
   * @returns a function that ends it
   */
  follow(listener: (news: readonly TokenNews[]) => void): () => void;
  /** Tells followers what has changed, if anything has: for what changes without anybody saying so. */
  look(): void;
  close(): void;
}

export interface TokenNewsDeps {
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
  readonly marks: () => readonly unknown[];
  /** Tells that they may have been. */
  readonly onChange: (listener: () => void) => () => void;
}

/** What has been told so far, by what it is about. */
type Told = Map<string, TokenNews>;

export function createTokenNewsSource(deps: TokenNewsDeps): TokenNewsSource {
  const { revocations, clients, accounts, keys, customRoles, marks } = deps;
  const followers = new Set<(news: readonly TokenNews[]) => void>();
  let told: Told = new Map();
  let toldAt: readonly unknown[] = [];
  const stopHearing = [
    deps.onChange(look),
    keys.onChange(look),
    revocations.onRevoked((revoked) => tell(revoked.map(revocation))),
  ];

  return {
    follow(listener) {
      if (followers.size === 0) {
        toldAt = marks();
        told = standing();
      } else {
        look();
      }
      listener([...told.values(), ...[...revocations.all()].map(revocation), { type: 'complete' }]);
      followers.add(listener);
      return () => followers.delete(listener);
    },
    look,
    close() {
      for (const stop of stopHearing) stop();
    },
  };

  function look(): void {
    const at = marks();
    if (followers.size === 0 || at.every((mark, i) => mark === toldAt[i])) return;
    toldAt = at;
    const now = standing();
    const gone = [...told].flatMap(([about, news]) => (now.has(about) ? [] : ending(news)));
    const changed = [...now].flatMap(([about, news]) => (isSame(told.get(about), news) ? [] : [news]));
    told = now;
    tell([...gone, ...changed]);
  }

  function tell(news: readonly TokenNews[]): void {
    if (news.length > 0) for (const listener of [...followers]) listener(news);
  }

  /** Everything but revocations, which only ever grow. */
  function standing(): Told {
    const now: Told = new Map();
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
function addParty(now: Told, type: 'client' | 'account', id: string, from: number | undefined): void {
  if (from !== undefined) now.set(`${type} ${id}`, { type, id, from });
}

function revocation([jti, until]: readonly [jti: string, until: number]): TokenNews {
  return { type: 'token', jti, until: Number.isFinite(until) ? until : Number.MAX_SAFE_INTEGER };
}

function ending(news: TokenNews): TokenNews[] {
  switch (news.type) {
    case 'client':
    case 'account':
      return [{ type: news.type, id: news.id }];
    case 'role':
      return [{ type: 'role', name: news.name }];
    default:
      return [];
  }
}

function isSame(before: TokenNews | undefined, after: TokenNews): boolean {
  if (before?.type === 'account' && after.type === 'account') return before.from === after.from;
  return JSON.stringify(before) === JSON.stringify(after);
}
