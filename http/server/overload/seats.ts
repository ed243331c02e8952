/** Who may have a connection. */
import type { Socket } from 'node:net';
import type { OverloadLimits } from './limits.ts';
import { type Source, Sources } from './sources.ts';

/** Whose connection it is, and what for. */
export interface Seat {
  readonly source: Source;
  /** Whether the peer is a proxy in front, so that each request has a source of its own. */
  readonly isTrusted: boolean;
  /** Whether there was no room for it, so that nothing but a probe is answered. */
  readonly isForProbes: boolean;
}

/** Connections beyond the limits that may still ask for a probe, in all and of one source. */
export const mostForProbes = 256;
const mostForProbesOfOne = 32;

export class Seats {
  /** Open connections. */
  taken = 0;
  readonly sources = new Sources();
  private takenForProbes = 0;
  private readonly limits: Pick<OverloadLimits, 'connections' | 'connectionsPerSource'>;

  constructor(limits: Pick<OverloadLimits, 'connections' | 'connectionsPerSource'>) {
    this.limits = limits;
  }

  /** @param address  canonical; undefined for a trusted proxy. @returns undefined when there is no room at all */
  take(socket: Socket, address: string | undefined): Seat | undefined {
    const isTrusted = address === undefined;
    const source = this.sources.hold(address ?? 'a trusted proxy');
    const { connections, connectionsPerSource } = this.limits;
    const isForProbes =
      this.taken - this.takenForProbes >= connections ||
      (!isTrusted && source.connections - source.forProbes >= connectionsPerSource);
    if (isForProbes && !this.hasRoomForProbe(source)) {
      this.sources.release(source);
      return undefined;
    }
    this.count(source, isForProbes, 1);
    socket.once('close', () => {
      this.count(source, isForProbes, -1);
      this.sources.release(source);
    });
    return { source, isTrusted, isForProbes };
  }

  private hasRoomForProbe({ forProbes }: Source): boolean {
    return this.takenForProbes < mostForProbes && forProbes < mostForProbesOfOne;
  }

  private count(source: Source, isForProbes: boolean, by: 1 | -1): void {
    this.taken += by;
    source.connections += by;
    if (!isForProbes) return;
    this.takenForProbes += by;
    source.forProbes += by;
  }
}
