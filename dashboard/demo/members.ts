/**
 * The demo's cluster of three: three addresses in front of the one member that holds the data, for show. One answers late, one is started anew
 * again and again.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createMemberAddress, type MemberAddress } from './member-address.ts';
import type { ShownMember } from './member-answers.ts';

/** What becomes of the third: it is started anew, stays, or goes and does not come back. */
export const thirdWays = ['restarts', 'stays', 'away'] as const;
export type ThirdWay = (typeof thirdWays)[number];

export interface MembersOptions {
  /** Base address of the member that holds the data. */
  readonly holderUrl: string;
  /** One for each address: the first, the slow one, the one that goes and comes. */
  readonly ports: readonly [number, number, number];
  readonly signal: AbortSignal;
  readonly times?: RestartTimes;
}

/** All in milliseconds. */
export interface RestartTimes {
  /** From the start to the first restart. */
  readonly firstMs: number;
  readonly everyMs: number;
  /** How long one that goes says so before it is gone. */
  readonly leavingMs: number;
  readonly awayMs: number;
}

export interface DemoMembers {
  /** Base addresses. */
  readonly urls: readonly string[];
  /** From now on the third does so. Resolves when it has begun: at `away`, when it is gone. */
  begin(way: ThirdWay): Promise<void>;
  close(): Promise<void>;
}

const usual: RestartTimes = { firstMs: 60_000, everyMs: 180_000, leavingMs: 4_000, awayMs: 20_000 };
/** How much later the slow one answers, milliseconds. */
const slow = { least: 120, spread: 60 };

interface Place extends ShownMember {
  readonly door: MemberAddress;
  isLeaving: boolean;
  /** While it goes, is away and comes back. */
  restart: Promise<void> | undefined;
}

/** @throws {Error} when a port is taken, or the member does not say who it is */
export async function startMembers({
  holderUrl,
  ports,
  signal,
  times = usual,
}: MembersOptions): Promise<DemoMembers> {
  const holder = await identityAt(holderUrl);
  let cluster: readonly Place[] = [];
  let turn = 0;
  const delays = [() => 0, () => slow.least + ((turn++ * 37) % slow.spread), () => 0];
  const places = ports.map((port, at): Place => {
    const place: Place = {
      address: `127.0.0.1:${port}`,
      // That of the CP member must be one of the cluster's.
      uuid: at === 0 ? holder.uuid : randomUUID(),
      isLeaving: false,
      restart: undefined,
      door: createMemberAddress({
        port,
        holderUrl,
        delayMs: delays[at]!,
        isCpMember: at === 0,
        speaker: () => ({
          self: shown(place),
          cluster: cluster.map(shown),
          holder,
          holderShownAt: places[0]!.address,
          isLeaving: place.isLeaving,
        }),
        onShutdown: () => void restart(place).catch(() => {}),
      }),
    };
    return place;
  });
  const third = places[2]!;
  await Promise.all(places.map(come));
  cluster = places;

  return {
    urls: places.map(({ address }) => `http://${address}`),
    async begin(way) {
      if (way === 'away') await goAway(third);
      if (way === 'restarts') void again().catch(() => {});
    },
    async close() {
      await Promise.all(places.map(({ door }) => door.close()));
    },
  };

  async function again(): Promise<void> {
    await pause(times.firstMs, undefined, { signal });
    for (;;) {
      await restart(third);
      await pause(times.everyMs, undefined, { signal });
    }
  }

  /** Its data is on the disk, so it is the same member when it is back. */
  function restart(place: Place): Promise<void> {
    place.restart ??= goAndCome(place).finally(() => {
      place.restart = undefined;
    });
    return place.restart;
  }

  async function goAndCome(place: Place): Promise<void> {
    place.isLeaving = true;
    await pause(times.leavingMs, undefined, { signal });
    await goAway(place);
    await pause(times.awayMs, undefined, { signal });
    await come(place);
  }

  async function goAway(place: Place): Promise<void> {
    cluster = cluster.filter((other) => other !== place);
    await place.door.close();
    place.isLeaving = false;
  }

  async function come(place: Place): Promise<void> {
    await place.door.open();
    cluster = [...cluster, place];
  }
}

function shown({ address, uuid }: Place): ShownMember {
  return { address, uuid };
}

async function identityAt(url: string): Promise<ShownMember> {
  const answer = await fetch(`${url}/svc/rest/cluster`);
  const { members } = (await answer.json()) as { readonly members: readonly ShownMember[] };
  const [alone] = members;
  if (!alone) throw new Error(`The member at ${url} does not say who it is.`);
  return alone;
}
