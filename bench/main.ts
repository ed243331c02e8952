/** `npm run bench -- [name …]`: runs the named benchmarks, or all, and prints Markdown tables. */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Benchmark, Ratio, Table } from './harness.ts';
import { formatSpread } from './statistics.ts';

/** Loaded one by one: each starts servers of its own and may be missing what it needs. */
const benchmarks: Readonly<Record<string, () => Promise<{ benchmark: Benchmark }>>> = {
  token: () => import('./token.ts'),
  proxy: () => import('./proxy.ts'),
  'proxy-idle': () => import('./proxy-idle.ts'),
  'proxy-body': () => import('./proxy-body.ts'),
  'proxy-members': () => import('./proxy-members.ts'),
  member: () => import('./member.ts'),
  login: () => import('./login.ts'),
  guessing: () => import('./guessing.ts'),
  start: () => import('./start.ts'),
  growth: () => import('./growth.ts'),
  lists: () => import('./lists.ts'),
  pages: () => import('./pages.ts'),
  'live-pages': () => import('./live-pages.ts'),
  'first-load': () => import('./first-load.ts'),
  configuration: () => import('./configuration.ts'),
  import: () => import('./import.ts'),
  before: () => import('./before.ts'),
  overload: () => import('./overload.ts'),
  workers: () => import('./workers.ts'),
  usage: () => import('./usage.ts'),
  audit: () => import('./audit.ts'),
  'audit-query': () => import('./audit-query.ts'),
  'audit-rows': () => import('./audit-rows.ts'),
  shared: () => import('./shared.ts'),
  'schema-steps': () => import('./schema-steps.ts'),
};

/** Wants what not every machine has, another checkout beside this one, or fills a disk for minutes. */
const onRequest = new Set([
  'before',
  'import',
  'store',
  'audit',
  'audit-query',
  'audit-rows',
  'pages',
  'first-load',
  'shared',
  'schema-steps',
]);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, full: { type: 'boolean', default: false } },
});
const nodeBinary = process.env.NODE_BINARY || process.execPath;
const nodeVersion = execFileSync(nodeBinary, ['--version'], { encoding: 'utf8' }).trim();
const nodeMajor = Number.parseInt(nodeVersion.slice(1), 10);
const rounds = Math.max(5, Number(values.rounds) || 5);
const names =
  positionals.length > 0 ? positionals : Object.keys(benchmarks).filter((name) => !onRequest.has(name));

process.exitCode = await main();

async function main(): Promise<number> {
  const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
  if (unknown.length > 0) {
    console.error(`no benchmark ${unknown.join(', ')}; there are ${Object.keys(benchmarks).join(', ')}`);
    return 2;
  }
  console.log(`Servers run on Node ${nodeVersion}, ${cpus().length} × ${cpus()[0]?.model}.`);
  console.log(
    `Median (min–max) of ${rounds} interleaved rounds; load average before: ${loadavg()[0]?.toFixed(1)}.`,
  );
  const tables: Table[] = [];
  let exitCode = 0;
  for (const name of names) {
    try {
      const { benchmark } = await benchmarks[name]!();
      const table = await benchmark.run({ rounds, nodeBinary, nodeMajor, isFull: values.full });
      printTable(table);
      tables.push(table);
    } catch (error) {
      console.error(`${name} could not be measured:`, error);
      exitCode = 1;
    }
  }
  printRatios(tables);
  return exitCode;
}

function printTable({ title, columns, rows, notes = [] }: Table): void {
  console.log(`\n## ${title}\n`);
  printRows([columns, columns.map(() => '---'), ...rows]);
  for (const note of notes) console.log(`\n${note}`);
}

/** A goal that is missed is shown, and fails nothing: benchmarks are read, not asserted. */
function printRatios(tables: readonly Table[]): void {
  const ratios = tables.flatMap((table) => table.ratios);
  if (ratios.length === 0) return;
  console.log('\n## Ratios\n');
  const header = ['ratio', 'median (min–max)', 'goal', ''];
  printRows([header, header.map(() => '---'), ...ratios.map(ratioRow)]);
}

function ratioRow({ name, spread, unit = '', atLeast, atMost }: Ratio): string[] {
  const goal = atLeast !== undefined ? `≥ ${atLeast}` : atMost !== undefined ? `≤ ${atMost}` : '';
  const isMet = spread.median >= (atLeast ?? -Infinity) && spread.median <= (atMost ?? Infinity);
  return [name, formatSpread(spread, 2) + unit, goal && `${goal}${unit}`, goal && (isMet ? 'met' : 'missed')];
}

function printRows(rows: readonly (readonly string[])[]): void {
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
}
