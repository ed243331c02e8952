/** Places for requests that this process works for: so many at a time, and the sources of those that wait in turn. */
import type { OverloadLimits } from './limits.ts';
import type { Source, Ticket } from './sources.ts';

export type PlaceLimits = Pick<OverloadLimits, 'requests' | 'requestsPerSource' | 'waitMs'>;

/** Milliseconds of one turn of the event loop that new requests may take; probes and calls come in between. */
const turnMs = 4;
/** Above it a request is refused at once. */
const mostWaiting = 20_000;

export class Places {
  taken = 0;
  waiting = 0;
  private readonly limits: PlaceLimits;
  private readonly now: () => number;
  /** Sources of which some wait and may start, in the order in which they come next. */
  private rotation: Source[] = [];
  /** Monotonic milliseconds; undefined before the first one of a turn of the event loop. */
  private turnBegan: number | undefined;
  private isScheduled = false;

  /** @param now  monotonic milliseconds */
  constructor(limits: PlaceLimits, now: () => number) {
    this.limits = limits;
    this.now = now;
  }

  /** Starts it now or later. @returns to be given back by {@link leave} */
  take(source: Source, start: () => void, reject: () => void): Ticket {
    const ticket: Ticket = { source, start, reject, since: this.now(), state: 'waiting' };
    if (this.waiting === 0 && this.hasRoomFor(source) && this.hasTime(ticket.since)) this.begin(ticket);
    else if (this.waiting < mostWaiting) this.enqueue(ticket);
    else end(ticket);
    return ticket;
  }

  leave(ticket: Ticket): void {
    const { state, source } = ticket;
    ticket.state = 'over';
    if (state === 'waiting') {
      this.waiting -= 1;
      source.waiting = source.waiting.filter((each) => each !== ticket);
      return;
    }
    if (state === 'over') return;
    this.taken -= 1;
    source.requests -= 1;
    if (this.waiting > 0) this.schedule();
  }

  /** Refuses those that have waited too long. */
  check(): void {
    if (this.waiting === 0) return;
    const latest = this.now() - this.limits.waitMs;
    for (const source of [...this.rotation]) {
      while (source.waiting[0] !== undefined && source.waiting[0].since < latest) {
        this.waiting -= 1;
        end(source.waiting.shift()!);
      }
    }
  }

  private hasRoomFor(source: Source): boolean {
    return this.taken < this.limits.requests && source.requests < this.limits.requestsPerSource;
  }

  private hasTime(at: number): boolean {
    if (this.turnBegan === undefined) {
      this.turnBegan = at;
      setImmediate(() => {
        this.turnBegan = undefined;
      });
    }
    return at - this.turnBegan < turnMs;
  }

  private begin(ticket: Ticket): void {
    ticket.state = 'taken';
    this.taken += 1;
    ticket.source.requests += 1;
    ticket.start();
  }

  private enqueue(ticket: Ticket): void {
    const { source } = ticket;
    this.waiting += 1;
    source.waiting.push(ticket);
    if (!source.isInRotation) this.putInRotation(source);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.startRotation();
    });
  }

  private putInRotation(source: Source): void {
    source.isInRotation = true;
    this.rotation.push(source);
  }

  /** One of each source, over and over. */
  private startRotation(): void {
    let passed = 0;
    while (passed < this.rotation.length && this.taken < this.limits.requests) {
      if (!this.hasTime(this.now())) {
        this.schedule();
        return;
      }
      const source = this.rotation.shift()!;
      source.isInRotation = false;
      if (source.waiting.length === 0) continue;
      if (this.hasRoomFor(source)) {
        passed = 0;
        this.waiting -= 1;
        this.begin(source.waiting.shift()!);
      } else {
        passed += 1;
      }
      if (source.waiting.length > 0) this.putInRotation(source);
    }
  }
}

function end(ticket: Ticket): void {
  ticket.state = 'over';
  ticket.reject();
}
