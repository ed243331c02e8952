/** A session of a CP group, by the real engine's field names and in their order. */
export interface CpSession {
  readonly id: number;
  /** Epoch milliseconds, as is `expirationTime`. */
  readonly creationTime: number;
  readonly expirationTime: number;
  /** How many heartbeats it has had. */
  readonly version: number;
  /** `[<ip>]:<port>` of who opened it. */
  readonly endpoint: string;
  readonly endpointType: 'SERVER' | 'CLIENT';
  readonly endpointName: string;
}

export type SessionOwner = Pick<CpSession, 'endpoint' | 'endpointType' | 'endpointName'>;

/** The sessions of one CP group. One whose time is over is gone, whether or not anybody looks. */
export interface CpSessions {
  list(): readonly CpSession[];
  open(owner: SessionOwner): CpSession;
  /** Lets it live for another time to live. @returns whether there is such a session */
  heartbeat(id: number): boolean;
  /** @returns whether there was such a session */
  remove(id: number): boolean;
  /** Ends all of them, as their group ends. */
  clear(): void;
}

export interface CpSessionsDeps {
  readonly timeToLiveMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createCpSessions({ timeToLiveMs, now }: CpSessionsDeps): CpSessions {
  const sessions = new Map<number, CpSession>();
  let lastId = 0;

  function dropExpired(): void {
    for (const { id, expirationTime } of sessions.values()) {
      if (expirationTime <= now()) sessions.delete(id);
    }
  }

  return {
    list() {
      dropExpired();
      return [...sessions.values()];
    },
    open(owner) {
      dropExpired();
      lastId += 1;
      const creationTime = now();
      const times = { creationTime, expirationTime: creationTime + timeToLiveMs };
      const { endpoint, endpointType, endpointName } = owner;
      const session = { id: lastId, ...times, version: 0, endpoint, endpointType, endpointName };
      sessions.set(session.id, session);
      return session;
    },
    heartbeat(id) {
      dropExpired();
      const session = sessions.get(id);
      if (session === undefined) return false;
      const expirationTime = Math.max(session.expirationTime, now() + timeToLiveMs);
      sessions.set(id, { ...session, expirationTime, version: session.version + 1 });
      return true;
    },
    remove(id) {
      dropExpired();
      return sessions.delete(id);
    },
    clear: () => sessions.clear(),
  };
}
