/** Writes the calls of a day by client, map and queue: once a minute, what the minute before came to. */
import { mkdir } from 'node:fs/promises';
import { openRingWriter, type RingWriter, type Row, rowsOf } from '../history/ring-file.ts';
import { reportEveryMs } from '../reports/process-report.ts';
import {
  callHistoryFiles,
  clientForm,
  clientValues,
  largest,
  minuteMs,
  mostClients,
  mostStructures,
  presenceForm,
  type StructureRow,
  states,
  structureForm,
  structureValues,
} from './forms.ts';
import { type ClientCounts, type MinuteOfCalls, newStructureCounts } from './minute-of-calls.ts';
import { openRingFolder, type RingFolder } from './ring-folder.ts';

export interface CallHistoryDeps {
  readonly dataDir: string;
  /** Of all processes that answer in time. @param minute  since 1970 */
  readonly readMinute: (minute: number) => Promise<MinuteOfCalls>;
  /** Items of queues as they were asked last, by `queue:jobs`. */
  readonly takeSizes: () => ReadonlyMap<string, number>;
  /** Hears of the queues that members have answered for in a minute. */
  readonly onQueues?: (ids: readonly string[], minute: number) => void;
}

export interface CallHistoryRecorder {
  /** Writes a minute, or adds to what is there of it from before a restart. */
  record(minute: number): Promise<void>;
  close(): Promise<void>;
}

export async function openCallHistory(deps: CallHistoryDeps): Promise<CallHistoryRecorder> {
  const files = callHistoryFiles(deps.dataDir);
  await mkdir(files.directory, { recursive: true, mode: 0o700 });
  const clients = await openRingFolder({
    directory: files.clients,
    form: clientForm,
    mostRings: mostClients,
  });
  const structures = await openRingFolder({
    directory: files.structures,
    form: structureForm,
    mostRings: mostStructures,
  });
  const presence = await openRingWriter(files.presence, presenceForm);

  return {
    async record(minute) {
      const counted = await deps.readMinute(minute);
      const sizes = deps.takeSizes();
      const rows = structureRowsOf(counted, sizes);
      deps.onQueues?.([...rows.keys()].filter(isCalledQueue(counted)), minute);
      const areWhole = [
        ...(await writeAll(clients, counted.clients, { minute, places: clientValues, mayMake: () => true })),
        ...(await writeAll(structures, [...rows], { minute, places: structureValues, mayMake: isKnown })),
      ];
      const isWhole = counted.isWhole && areWhole.every(Boolean);
      await writePresence(files.presence, presence, minute, isWhole);
    },
    close: () => presence.close(),
  };
}

/** Names that were only refused are whatever a caller likes. */
function isKnown({ fine, failed, size }: StructureRow): boolean {
  return fine > 0 || failed > 0 || !Number.isNaN(size);
}

function isCalledQueue({ structures }: MinuteOfCalls): (id: string) => boolean {
  // What was refused may be no queue at all, and a member makes one of whatever it is asked for.
  const called = new Set(structures.filter(([, { fine }]) => fine > 0).map(([id]) => id));
  return (id) => id.startsWith('queue:') && called.has(id);
}

function structureRowsOf(
  { structures, waiting }: MinuteOfCalls,
  sizes: ReadonlyMap<string, number>,
): ReadonlyMap<string, StructureRow> {
  const called = new Map(structures);
  const polls = new Map(waiting);
  const ids = new Set([...called.keys(), ...polls.keys(), ...sizes.keys()]);
  return new Map(
    [...ids].map((id) => {
      const isQueue = id.startsWith('queue:');
      const row = {
        ...(called.get(id) ?? newStructureCounts()),
        size: sizes.get(id) ?? Number.NaN,
        waiting: isQueue ? (polls.get(id) ?? 0) : Number.NaN,
      };
      return [id, row];
    }),
  );
}

/** @returns of each: see {@link RingFolder.write} */
async function writeAll<Counts extends ClientCounts>(
  folder: RingFolder,
  counted: readonly (readonly [id: string, counts: Counts])[],
  {
    minute,
    places,
    mayMake,
  }: {
    readonly minute: number;
    readonly places: readonly (keyof Counts & string)[];
    readonly mayMake: (counts: Counts) => boolean;
  },
): Promise<boolean[]> {
  const whole: boolean[] = [];
  for (const [id, counts] of counted) {
    const row = Float32Array.from(places, (place) => counts[place] as number);
    if (!folder.has(id) && !mayMake(counts)) continue;
    whole.push(await folder.write(id, minute, row, (there, more) => joinedRow(there, more, places)));
  }
  return whole;
}

function joinedRow(there: Row, row: Row, places: readonly string[]): Row {
  return Float32Array.from(places, (place, at) => {
    const [before, value] = [there[at]!, row[at]!];
    if (states.has(place)) return Number.isNaN(value) ? before : value;
    return largest.has(place) ? Math.max(before, value) : before + value;
  });
}

async function writePresence(path: string, writer: RingWriter, minute: number, isWhole: boolean) {
  let wasWhole = true;
  for await (const { row } of rowsOf(path, presenceForm, minute, minute)) wasWhole = row[0] === 1;
  await writer.write(minute, Float32Array.of(isWhole && wasWhole ? 1 : 0));
}

export interface CallHistoryRoundDeps extends CallHistoryDeps {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: { warn(fields: object, message: string): void };
}

export interface CallHistoryRounds {
  /** Writes what the minute that goes on has come to: nothing is recorded any more after that. */
  close(): Promise<void>;
}

/** Other processes have told of the last calls of a minute by then. */
const settleMs = reportEveryMs;

/** Records by itself, minute by minute, until it is closed. */
export function startCallHistory(deps: CallHistoryRoundDeps): CallHistoryRounds {
  const { now, log } = deps;
  let recorder: Promise<CallHistoryRecorder> | undefined;
  let next = Math.floor(now() / minuteMs);
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();
  let closed: Promise<void> | undefined;
  const work = async (minute: number) => {
    try {
      recorder ??= openCallHistory(deps);
      await (await recorder).record(minute);
      isFailing = false;
    } catch (error) {
      // The disk is full, or gone: nothing hangs on it, and it is tried again, with files opened anew.
      const former = recorder;
      recorder = undefined;
      await former?.then((opened) => opened.close()).catch(() => {});
      if (!isFailing) log.warn({ err: error }, 'the calls of a day cannot be written');
      isFailing = true;
    }
  };
  const plan = () => {
    if (closed) return;
    const untilNext = minuteMs - (now() % minuteMs);
    timer = setTimeout(() => {
      const minute = Math.floor(now() / minuteMs) - 1;
      // Of a clock that was set, or a machine that slept, the minutes between are left out.
      next = minute + 1;
      round = round.then(() => work(minute)).then(plan);
    }, untilNext + settleMs).unref();
  };
  plan();
  return {
    close() {
      closed ??= (async () => {
        clearTimeout(timer);
        await round;
        const minute = Math.floor(now() / minuteMs);
        if (minute > next) await work(minute - 1);
        await work(minute);
        await (await recorder?.catch(() => undefined))?.close();
      })();
      return closed;
    },
  };
}
