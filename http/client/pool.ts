/** The connections to one member, and the bounded lines of those that wait for one. */
import type { Attempt, Connection } from './attempt.ts';
import { openConnection } from './connection.ts';
import { UpstreamFailure } from './failure.ts';
import { createFairQueue } from './fair-queue.ts';
import { endpointOf } from './open-socket.ts';
import { createResting } from './resting.ts';
import { isWithinShare } from './share.ts';
import { createWaitQueue } from './wait-queue.ts';

export interface PoolLimits {
  /** Longest wait until a connection is open, milliseconds. */
  readonly connectMs: number;
  /** Longest silence within a body, milliseconds. */
  readonly stallMs: number;
  /** Most calls at a time that do not wait for an item; each has a connection. */
  readonly connections: number;
  /** Most polls that wait at a time, with connections of their own beside those; 0 for no limit. */
  readonly polls: number;
  /** Most calls that wait for a place, and most polls beside them. */
  readonly waiting: number;
  /** Longest wait for a place, milliseconds. */
  readonly waitMs: number;
}

export interface MemberPool {
  /** `host:port` for the `Host` field. */
  readonly authority: string;
  /** Whether a call could begin now. */
  hasRoom(attempt: Pick<Attempt, 'isWaiting' | 'caller'>): boolean;
  /** Sends it, at once or when there is room. What becomes of it is told to the attempt. */
  send(attempt: Attempt): void;
  /** Breaks it off at once, wherever it stands; its connection is not used again (S63, S70). */
  abort(attempt: Attempt): void;
  /** Tells those that wait here that the member does not answer its probes. */
  suspect(): void;
  /** Resolves when nothing is under way, or after that time. */
  whenQuiet(timeoutMs: number): Promise<void>;
  /** Takes nothing more, waits for what is under way, and closes the connections. */
  close(): Promise<void>;
}

export interface PoolDeps {
  /** Base address of the member. */
  readonly address: string;
  readonly limits: PoolLimits;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Hears of each connection that could not be opened. */
  readonly onUnreachable?: () => void;
}

/** How long an idle connection is kept, at most; a member itself never closes one (docs/member-surface.md#on-the-wire). */
const longestIdleMs = 15_000;
const sweepEveryMs = 5_000;
const sharedBytes = 64 * 1024;

export function createPool({ address, limits, now, onUnreachable }: PoolDeps): MemberPool {
  const endpoint = endpointOf(address);
  const times = { connectMs: limits.connectMs, stallMs: limits.stallMs };
  const shared = Buffer.allocUnsafeSlow(sharedBytes);
  /** All of them, those that are being opened included. */
  const connections = new Set<Connection>();
  /** The one used last comes last, and is taken first. */
  const idle: Connection[] = [];
  const resting = createResting({ onRested: toIdle, onRead: admitWaiting });
  const waitingCalls = createWaitQueue(limits.waiting, limits.waitMs);
  const waitingPolls = createFairQueue(limits.waiting, limits.waitMs);
  /** Under way; each kind has places of its own, so that no call waits for one that waits (S93). */
  let calls = 0;
  let polls = 0;
  /** Polls under way by caller. */
  const pollsOf = new Map<string, number>();
  let sweeper: NodeJS.Timeout | undefined;
  let onEmpty: (() => void) | undefined;
  let onQuiet: (() => void)[] = [];

  return { authority: endpoint.authority, hasRoom, send, abort, suspect, whenQuiet, close };

  function hasRoom({ isWaiting, caller }: Pick<Attempt, 'isWaiting' | 'caller'>): boolean {
    if (!isWaiting) return hasRoomForCall();
    return limits.polls === 0 || isWithinShare(pollsOf.get(caller) ?? 0, polls, limits.polls);
  }

  /** Nobody overtakes those that wait. */
  function hasRoomForCall(): boolean {
    return waitingCalls.isEmpty && calls + resting.count < limits.connections;
  }

  function hasRoomForWaiting(): boolean {
    return calls + resting.countForWaiting < limits.connections;
  }

  function send(attempt: Attempt): void {
    if (onEmpty !== undefined) attempt.onFailure(new UpstreamFailure('unreachable'));
    else if (hasRoom(attempt)) begin(attempt);
    else lineOf(attempt).join(attempt);
  }

  function lineOf({ isWaiting }: Attempt) {
    return isWaiting ? waitingPolls : waitingCalls;
  }

  function begin(attempt: Attempt): void {
    const connection = takeIdle() ?? open();
    countIn(attempt);
    connection.run(attempt);
  }

  function open(): Connection {
    const connection = openConnection(endpoint, times, shared, { onFree, onGone });
    connections.add(connection);
    return connection;
  }

  /** The member may be about to close one that has been idle for long. */
  function takeIdle(): Connection | undefined {
    for (let connection = idle.pop(); connection !== undefined; connection = idle.pop()) {
      if (!isPast(connection)) return connection;
      connection.destroy();
    }
    return undefined;
  }

  function isPast({ idleSince, idleMs = longestIdleMs }: Connection): boolean {
    return now() - idleSince > Math.min(idleMs, longestIdleMs);
  }

  function onFree(connection: Connection, answered: Attempt): void {
    countOut(answered);
    resting.add(connection);
    if (calls + polls === 0) onEmpty?.();
  }

  function toIdle(rested: readonly Connection[]): void {
    const at = now();
    for (const connection of rested) {
      if (!connections.has(connection)) continue;
      connection.idleSince = at;
      idle.push(connection);
    }
    if (idle.length > 0) sweeper ??= setInterval(sweep, sweepEveryMs).unref();
  }

  function onGone(
    connection: Connection,
    attempt: Attempt | undefined,
    failure: UpstreamFailure | undefined,
  ): void {
    connections.delete(connection);
    if (attempt !== undefined) countOut(attempt);
    else if (idle.includes(connection)) idle.splice(idle.indexOf(connection), 1);
    if (failure?.reason === 'unreachable' || failure?.reason === 'connectTimeout') onUnreachable?.();
    admitWaiting();
  }

  function countIn({ isWaiting, caller }: Attempt): void {
    if (!isWaiting) {
      calls += 1;
      return;
    }
    polls += 1;
    pollsOf.set(caller, (pollsOf.get(caller) ?? 0) + 1);
  }

  function countOut({ isWaiting, caller }: Attempt): void {
    if (!isWaiting) {
      calls -= 1;
      return;
    }
    polls -= 1;
    const left = pollsOf.get(caller)! - 1;
    if (left > 0) pollsOf.set(caller, left);
    else pollsOf.delete(caller);
  }

  function admitWaiting(): void {
    while (!waitingCalls.isEmpty && hasRoomForWaiting()) begin(waitingCalls.next()!);
    for (let poll = waitingPolls.next(hasRoom); poll; poll = waitingPolls.next(hasRoom)) begin(poll);
    if (calls + polls > 0) return;
    onEmpty?.();
    for (const listener of onQuiet) listener();
    onQuiet = [];
  }

  function abort(attempt: Attempt): void {
    if (!lineOf(attempt).leave(attempt)) attempt.connection?.destroy();
  }

  function suspect(): void {
    const inFlight = [...connections].flatMap(({ attempt }) => attempt ?? []);
    const all = [...inFlight, ...waitingCalls.all(), ...waitingPolls.all()];
    for (const attempt of all) attempt.onSuspicion();
  }

  async function whenQuiet(timeoutMs: number): Promise<void> {
    if (calls + polls === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      onQuiet.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  function sweep(): void {
    for (const connection of idle.filter(isPast)) connection.destroy();
    if (idle.length === 0) stopSweeping();
  }

  function stopSweeping(): void {
    clearInterval(sweeper);
    sweeper = undefined;
  }

  async function close(): Promise<void> {
    await new Promise<void>((resolve) => {
      onEmpty = resolve;
      admitWaiting();
    });
    stopSweeping();
    for (const connection of [...connections]) connection.destroy();
  }
}
