/**
 * What the audit costs: the main thread for each entry and each counted call, the disk once files are closed, how fast it is
 * verified, and what a machine that asks for tokens notices while one verifies or exports. `BENCH_AUDIT_DIR` is a folder in
 * which the audit stays for the next run, the first of `BENCH_AUDIT_SIZES` (1000000) how many entries it has.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { exportBeside, type Verified, verify } from './audit/ask.ts';
import { type MadeAudit, madeWriter, makeAudit } from './audit/audit-store.ts';
import { closedBytesOfConsole } from './audit/closed-bytes.ts';
import { measureEntries } from './audit/entry-cost.ts';
import { apiToken, createDataDirs, startConsole } from './console.ts';
import type { Benchmark, Ratio, Table } from './harness.ts';
import { takeTokensWhile } from './lists/beside.ts';
import { createServers, type ServerProcess } from './servers.ts';
import { formatSpread, quantile, type Spread, spread } from './statistics.ts';
import { countingAlone } from './usage.ts';

const size = Number((process.env.BENCH_AUDIT_SIZES ?? '1000000').split(',')[0]);
const quietMs = 5000;

interface Beside {
  readonly quiet: number[];
  readonly verifying: number[];
  readonly exporting: number[];
  /** Entries a second. */
  readonly exported: number[];
}

export const benchmark: Benchmark = {
  name: 'audit',
  async run({ rounds, nodeBinary }) {
    using dirs = createDataDirs();
    const kept = process.env.BENCH_AUDIT_DIR;
    const name = `audit-${size}`;
    const made = await makeAudit(kept === undefined ? dirs.path(name) : join(kept, name), size);
    const entries = await measureEntries(dirs.path('entries'), rounds);
    const verified: Verified[] = [];
    for (let round = 0; round < rounds; round++) verified.push(await verify(nodeBinary, made));
    await using servers = createServers({ nodeBinary });
    const ofConsole = await closedBytesOfConsole(servers, dirs.path('own'));
    const server = await startConsole(servers, {
      name: 'console',
      dataDir: made.dataDir,
      env: { CONSOLE_LOG_LEVEL: 'error', CONSOLE_API_READ_RATE: '0' },
    });
    const beside = await measureBeside(server, made, rounds, nodeBinary);
    return tableOf({
      entries,
      verified,
      beside,
      ofConsole,
      ofMade: closedBytesOfMade(made),
      counted: countingAlone(rounds),
    });
  },
};

async function measureBeside(
  server: ServerProcess,
  made: MadeAudit,
  rounds: number,
  nodeBinary: string,
): Promise<Beside> {
  const beside: Beside = { quiet: [], verifying: [], exporting: [], exported: [] };
  const tokensBeside = async (work: Promise<unknown>): Promise<number> => {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    const latencies = await takeTokensWhile(server.url, () => !isDone);
    await done;
    return quantile(
      latencies.sort((a, b) => a - b),
      0.99,
    );
  };
  await tokensBeside(wait(quietMs));
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`round ${round} of ${rounds}\n`);
    beside.quiet.push(await tokensBeside(wait(quietMs)));
    beside.verifying.push(await tokensBeside(verify(nodeBinary, made)));
    const start = performance.now();
    beside.exporting.push(
      await tokensBeside(exportBeside(nodeBinary, server.url, await apiToken(server.url))),
    );
    beside.exported.push((size / (performance.now() - start)) * 1000);
  }
  return beside;
}

/** Of a million entries, megabytes. */
function closedBytesOfMade({ dataDir }: MadeAudit): number {
  const directory = join(dataDir, 'audit', madeWriter);
  const bytes = readdirSync(directory).reduce((sum, file) => sum + statSync(join(directory, file)).size, 0);
  return bytes / size;
}

interface Figures {
  readonly entries: Awaited<ReturnType<typeof measureEntries>>;
  readonly verified: readonly Verified[];
  readonly beside: Beside;
  readonly ofConsole: number;
  readonly ofMade: number;
  readonly counted: Ratio;
}

function tableOf({ entries, verified, beside, ofConsole, ofMade, counted }: Figures): Table {
  const later = (figures: readonly number[]) => spread(figures.map((ms, i) => ms - beside.quiet[i]!));
  const one = (value: number): Spread => ({ median: value, min: value, max: value });
  const rate = spread(verified.map(({ entries: count, ms }) => (count / ms) * 1000));
  return {
    title: `The audit, ${size.toLocaleString('en')} entries`,
    columns: ['', 'figure'],
    rows: [
      ...entries.map(({ name, micros }) => [`main thread for ${name}, µs`, formatSpread(spread(micros), 2)]),
      ['verified a second', formatSpread(rate, 0)],
      ['exported a second, JSON lines', formatSpread(spread(beside.exported), 0)],
      ['token alone, p99 ms', formatSpread(spread(beside.quiet), 2)],
      ['token while one verifies, p99 ms', formatSpread(spread(beside.verifying), 2)],
      ['token while one exports, p99 ms', formatSpread(spread(beside.exporting), 2)],
      ['closed, of what a console wrote, MB a million', ofConsole.toFixed(1)],
      ['closed, of many clients, MB a million', ofMade.toFixed(1)],
    ],
    ratios: [
      ...entries.map(
        ({ name, micros }): Ratio => ({
          name: `main thread for ${name}`,
          spread: spread(micros),
          unit: ' µs',
          atMost: 2,
        }),
      ),
      counted,
      { name: 'verified a second', spread: rate, atLeast: 150_000 },
      {
        name: 'tokens later while one verifies, p99',
        spread: later(beside.verifying),
        unit: ' ms',
        atMost: 5,
      },
      {
        name: 'tokens later while one exports, p99',
        spread: later(beside.exporting),
        unit: ' ms',
        atMost: 5,
      },
      { name: 'a million entries of a console, closed', spread: one(ofConsole), unit: ' MB', atMost: 60 },
    ],
    notes: [
      'Main thread: its own processor time, with entries and without, eight entries in a turn of the event loop.',
      'Half of what a console wrote here are tokens, half writing calls; of many clients there are random ids, names and addresses in more places.',
    ],
  };
}
