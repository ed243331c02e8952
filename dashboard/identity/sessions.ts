/** Who is signed in here. Kept in memory: after a restart people are signed in again by the console. */
import type { PeriodId } from '../metrics/history.ts';
import type { Watched } from '../metrics/watched.ts';
import type { Caller } from './access-tokens.ts';
import type { SignIn, Tokens } from './relying-party.ts';

export interface Session {
  readonly id: string;
  /** Bound into every form of this session. */
  readonly csrf: string;
  readonly subject: string;
  readonly sid: string | undefined;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly watched: Watched;
  /** Of the plots. */
  period: PeriodId;
  /** The newest, and what its access token says. */
  tokens: Tokens;
  caller: Caller;
  /** How often the tokens were renewed without the person noticing. */
  renewals: number;
  lastUsedAt: number;
}

export type NewSession = Pick<Session, 'watched' | 'period' | 'caller'> & { readonly signIn: SignIn };

export interface Sessions {
  create(session: NewSession): Session;
  /** Counts as use. */
  find(id: string): Session | undefined;
  /** @returns whether it was still there */
  end(id: string): boolean;
  /** Ends those of one sign-in at the console, or of one person. @returns how many */
  endAll(of: { readonly subject: string | undefined; readonly sid: string | undefined }): number;
}

export interface SessionsDeps {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** At least 128 random bits (S32). */
  readonly newId: () => string;
}

const idleMs = 30 * 60_000;
const maxMs = 12 * 3_600_000;
/** Beyond that the one that was unused for longest ends. */
const maxSessions = 10_000;

export function createSessions({ now, newId }: SessionsDeps): Sessions {
  /** In the order of use. */
  const open = new Map<string, Session>();

  return {
    create({ signIn, caller, watched, period }) {
      const time = now();
      const { tokens, subject, sid } = signIn;
      const session: Session = {
        id: newId(),
        csrf: newId(),
        subject,
        sid,
        startedAt: time,
        watched,
        period,
        tokens,
        caller,
        renewals: 0,
        lastUsedAt: time,
      };
      open.set(session.id, session);
      dropOld(time);
      return session;
    },
    find(id) {
      const session = open.get(id);
      const time = now();
      if (!session) return undefined;
      open.delete(id);
      if (isOver(session, time)) return undefined;
      session.lastUsedAt = time;
      open.set(id, session);
      return session;
    },
    end: (id) => open.delete(id),
    endAll({ subject, sid }) {
      const meant = [...open.values()].filter((session) => isMeant(session, subject, sid));
      for (const { id } of meant) open.delete(id);
      return meant.length;
    },
  };

  function dropOld(time: number): void {
    for (const [id, session] of open) {
      if (!isOver(session, time) && open.size <= maxSessions) break;
      open.delete(id);
    }
  }
}

function isOver({ lastUsedAt, startedAt }: Session, time: number): boolean {
  return time - lastUsedAt > idleMs || time - startedAt > maxMs;
}

/** With a `sid`, that sign-in; a session that knows no `sid` is ended by its subject, to be on the safe side. */
function isMeant(session: Session, subject: string | undefined, sid: string | undefined): boolean {
  const isSamePerson = subject === undefined || session.subject === subject;
  if (sid === undefined) return isSamePerson;
  if (session.sid === undefined) return subject !== undefined && isSamePerson;
  return session.sid === sid && isSamePerson;
}
