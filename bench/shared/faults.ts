/**
 * What holds while consoles are killed, cut off and exchanged, with the code of the tests (`test/shared/`): three consoles on one
 * PostgreSQL, behind HAProxy.
 */
import { startRelyingParty } from '../../test/helpers/relying-party.ts';
import { replayEverywhere, revocationTimes, signInsWithKills } from '../../test/shared/journeys.ts';
import { growthIn, liveDays } from '../../test/shared/lived-days.ts';
import { whyNoMovedTime } from '../../test/shared/moved-time.ts';
import { buildOlderVersion, whyNotBuilt } from '../../test/shared/older-version.ts';
import { createRolling, registerWith } from '../../test/shared/rolling.ts';
import { startSeparateProxies } from '../../test/shared/separate-proxies.ts';
import { startTogether, type Together } from '../../test/shared/support.ts';
import { liveWithoutDatabase, stallingWays } from '../../test/shared/without-database.ts';
import type { Ratio } from '../harness.ts';
import { quantile, spread } from '../statistics.ts';
import type { Sizes } from './sizes.ts';

/** The version that is exchanged for this one: of an earlier form of the tables. */
const earlierVersion = 'dc766138a8583daa21a428ba638e5ee6ae5d4df7';

/** Figures of one kind, or why there are none. */
export interface Part {
  readonly name: string;
  readonly whyNot?: string | undefined;
  measure(): Promise<readonly Ratio[]>;
}

export function faultParts(sizes: Sizes): readonly Part[] {
  return [
    { name: 'revocation', measure: () => together((all) => revocations(all, sizes)) },
    { name: 'kills', measure: () => together((all) => kills(all, sizes)) },
    { name: 'replays', measure: () => together((all) => replays(all, sizes)) },
    { name: 'upgrade', whyNot: whyNotBuilt([earlierVersion]), measure: () => upgrade(sizes) },
    { name: 'database gone', measure: () => databaseGone(sizes) },
    { name: 'days', whyNot: whyNoMovedTime, measure: () => days(sizes) },
  ];
}

async function together<T>(work: (all: Together) => Promise<T>): Promise<T> {
  const all = await startTogether({ hasOwnMembers: true });
  try {
    return await work(all);
  } finally {
    await all.stop();
  }
}

async function revocations(all: Together, { revocations: count }: Sizes): Promise<readonly Ratio[]> {
  const sorted = [...(await revocationTimes(all, count))].sort((a, b) => a - b);
  return [
    { share: 0.5, atMost: 50 },
    { share: 0.99, atMost: 1000 },
  ].map(({ share, atMost }) => ({
    ...figure(`revoked at one, refused by the proxy of another: p${share * 100} of ${count}`, atMost, ' ms'),
    spread: spread([quantile(sorted, share)]),
  }));
}

async function kills(all: Together, sizes: Sizes): Promise<readonly Ratio[]> {
  const { signIns, kills: killed, failed } = await signInsWithKills(all, sizes);
  const name = `sign-ins that failed twice, of ${signIns} with ${killed} consoles killed`;
  return [{ ...figure(name, 0), spread: spread([failed.length]) }];
}

async function replays(all: Together, { replays: count }: Sizes): Promise<readonly Ratio[]> {
  const wrong = await replayEverywhere(all, count);
  const name = `codes and refresh tokens used at three at once without exactly one successor, of ${count}`;
  return [{ ...figure(name, 0), spread: spread([wrong.length]) }];
}

/** Consoles and proxies, up to this version and back. */
async function upgrade({ upgradeSeconds }: Sizes): Promise<readonly Ratio[]> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const older = await buildOlderVersion(earlierVersion);
    closing.push(older.remove);
    const party = await startRelyingParty('board');
    closing.push(party.close);
    const all = await startTogether({
      script: older.console,
      hasOwnMembers: true,
      front: { repeats: 'without connection' },
    });
    closing.push(all.stop);
    const client = await registerWith(all, party);
    const proxies = await startSeparateProxies(all, client, [older.proxy, older.proxy], '5');
    closing.push(proxies.stop);
    const rolling = createRolling({
      ...{ all, proxies, party, isFull: true, seconds: upgradeSeconds, mayFail: true },
    });
    const { done, failed } = await rolling.underLoad('up and back', async (after) => {
      for (const version of [undefined, older]) {
        for (const n of all.consoles.keys()) {
          await rolling.exchange(n, version?.console);
          await after();
        }
        for (const n of proxies.all.keys()) {
          await proxies.exchange(n, version?.proxy);
          await after();
        }
      }
    });
    const name = `requests that failed while all are exchanged for another version and back, of ${done}`;
    return [{ ...figure(name, 0), spread: spread([failed.length]) }];
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function databaseGone({ cutSeconds }: Sizes): Promise<readonly Ratio[]> {
  const ways = stallingWays();
  const all = await startTogether({ hasOwnMembers: true, ...ways.options });
  try {
    const found = await liveWithoutDatabase(all, ways, { cutSeconds, backMs: 60_000 });
    const wrong = found.refused.filter(
      ({ answer }) => answer.status !== 503 || answer.retryAfter === undefined,
    );
    const without = `${cutSeconds} s without the database`;
    return [
      {
        ...figure(
          `${without}: machine tokens and calls that failed, of ${found.done + found.failed.length}`,
          0,
        ),
        spread: spread([found.failed.length]),
      },
      {
        ...figure(
          `${without}: other requests not answered 503 with Retry-After, of ${found.refused.length}`,
          0,
        ),
        spread: spread([wrong.length]),
      },
      { ...figure(`${without}: all is back after`, 5_000, ' ms'), spread: spread([found.backMs]) },
    ];
  } finally {
    for (const n of all.consoles.keys()) ways.mend(n);
    await all.stop();
    await ways.close();
  }
}

async function days({ dayStepMinutes: stepMinutes, daySignIns: signIns }: Sizes): Promise<readonly Ratio[]> {
  const sizes = await liveDays({ days: 2, stepMinutes, signIns });
  const total = (2 * 24 * 60 * signIns) / stepMinutes;
  const growth = growthIn(sizes);
  return (['rows', 'bytes'] as const).map((what) => ({
    ...figure(`${what} of the tables after two days with ${total} sign-ins, to those 12 hours before`, 1.1),
    spread: spread([growth[what]]),
  }));
}

function figure(name: string, atMost: number, unit = ''): Pick<Ratio, 'name' | 'unit' | 'atMost'> {
  return { name, unit, atMost };
}
