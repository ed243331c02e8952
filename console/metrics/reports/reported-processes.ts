/** What others have told of themselves: proxies in processes of their own, and consoles on the same database. In memory, for an hour. */
import { type MinuteOfCalls, sumOfMinutes } from '../call-history/minute-of-calls.ts';
import type { CallFilter, CallSums } from '../call-sums.ts';
import type { MainNumbers } from '../main-numbers.ts';
import type { OpenCall } from '../open-calls.ts';
import { mostMinutes } from '../recent-calls.ts';
import { countsOfMinute, minuteMs, sumsOf } from '../sums-of-calls.ts';
import { mainNumbersBetween } from './main-numbers-between.ts';
import type { ProcessReport, ReportedConsole, ReportedMinute } from './process-report.ts';

export interface ReportedProcesses {
  take(report: ProcessReport): void;
  /** Of calls that were answered there. */
  sums(filter: CallFilter): Promise<CallSums>;
  /** By process: what was counted since it was first heard of. */
  numbers(): ReadonlyMap<string, MainNumbers>;
  /** @param number  minutes since 1970 */
  minute(number: number): MinuteOfCalls;
  /** Calls that wait there, as far as was heard of late. */
  openCalls(): readonly OpenCall[];
  /** Others on the same store that were heard of late, the newest first. */
  consoles(): readonly (ReportedConsole & { readonly name: string })[];
}

interface Process {
  readonly minutes: Map<number, ReportedMinute>;
  /** What it had counted when it was first heard of: how long before that, nobody knows. */
  readonly base: MainNumbers;
  last: ProcessReport;
}

/** One that was not heard of for so long holds nothing open any more. */
const freshMs = 15_000;
/** For so long one that went without a word may be answering calls that nobody hears of. */
const missedMs = 5 * minuteMs;
const storedMs = mostMinutes * minuteMs;
const mostProcesses = 128;
/** Of all processes and minutes, some 60 MB. */
const mostRows = 200_000;

/** @param now  epoch milliseconds */
export function createReportedProcesses(now: () => number): ReportedProcesses {
  /** The one that was heard last is the last. */
  const processes = new Map<string, Process>();

  return {
    take(sent) {
      const report = { ...sent, at: Math.min(sent.at, now()) };
      const known = processes.get(report.process);
      // Two ways may lead here, and the other one was quicker.
      if (known && known.last.at >= report.at) return;
      const process = known ?? { minutes: new Map(), base: report.main, last: report };
      process.last = report;
      // The clock there may be ahead: what is not yet here comes with the next report.
      const past = report.minutes.filter(({ number }) => number * minuteMs <= now());
      for (const minute of past) process.minutes.set(minute.number, minute);
      processes.delete(report.process);
      processes.set(report.process, process);
      forget();
    },
    sums(filter) {
      const all = [...processes.values()];
      const minutes = all.flatMap(({ minutes }) => [...minutes.values()]);
      const latest = all.flatMap(({ last }) => last.latest);
      return sumsOf(minutes, latest, filter, now());
    },
    numbers() {
      return new Map(
        [...processes].map(([id, { base, last }]) => {
          const isThere = !last.isLast && now() - last.at < freshMs;
          return [id, mainNumbersBetween(base, last.main, isThere)];
        }),
      );
    },
    minute(number) {
      return sumOfMinutes([...processes.values()].map((process) => minuteOf(process, number)));
    },
    openCalls: () =>
      present().flatMap(({ process, name = process, console, at, open = [] }) =>
        open.map((call) => ({
          ...call,
          waitedMs: call.waitedMs + now() - at,
          process: name,
          isHere: false,
          // Consoles are told of by what they share; a separate proxy is not asked for anything.
          canEnd: console !== undefined,
        })),
      ),
    consoles: () =>
      present().flatMap(({ process, name = process, console }) => (console ? [{ ...console, name }] : [])),
  };

  /** Those that go on, the newest first. */
  function present(): readonly ProcessReport[] {
    const isThere = ({ last }: Process) => !last.isLast && now() - last.at < freshMs;
    return [...processes.values()]
      .filter(isThere)
      .map(({ last }) => last)
      .reverse();
  }

  function minuteOf({ minutes, last }: Process, number: number): MinuteOfCalls {
    const end = (number + 1) * minuteMs;
    const counted = minutes.get(number);
    const isMissing = !last.isLast && last.at < end && end - last.at < missedMs;
    const counts = countsOfMinute(counted ?? { number, rows: [], slowest: [], isWhole: true });
    const isFresh = !last.isLast && now() - last.at < freshMs;
    return { ...counts, waiting: isFresh ? last.waiting : [], isWhole: counts.isWhole && !isMissing };
  }

  function forget(): void {
    const oldest = Math.floor(now() / minuteMs) - mostMinutes;
    let rows = 0;
    // The newest first: what there is no room for is what was heard of longest ago.
    for (const [id, { minutes, last }] of [...processes].reverse()) {
      for (const number of [...minutes.keys()].sort((one, other) => other - one)) {
        rows += minutes.get(number)!.rows.length;
        if (number <= oldest || rows > mostRows) minutes.delete(number);
      }
      if (now() - last.at > storedMs) processes.delete(id);
    }
    if (processes.size > mostProcesses) processes.delete(processes.keys().next().value!);
  }
}
