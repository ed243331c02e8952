/** `npm run simulate`: 100 consoles, 10,000 clients and 1,000,000 sessions on measured service times, and where the first limit is. */
import { parseArgs } from 'node:util';
import { quantile } from '../statistics.ts';
import { type Figures, readFigures } from './figures.ts';
import { findLimit, fixedLimits, type Limit, type Step } from './limits.ts';
import { auditRowsPerSecond, type Scale } from './model.ts';

const { values } = parseArgs({
  options: {
    load: { type: 'string', default: '1' },
    consoles: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    set: { type: 'string', multiple: true, default: [] },
    most: { type: 'string', default: '16' },
  },
});
const figures = readFigures(values.set);
const scale: Scale = {
  load: positive('load', values.load),
  consoles: positive('consoles', values.consoles ?? String(figures.installation.consoles)),
  warmSeconds: 1,
  seconds: positive('seconds', values.seconds),
};
const begin = performance.now();
const steps = findLimit(figures, scale, scale.load * positive('most', values.most));
print(figures, steps, performance.now() - begin);

/** @throws {Error} when it is none */
function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} is a number above 0`);
  return value;
}

function print({ installation, assumed }: Figures, tried: readonly Step[], tookMs: number): void {
  const first = tried[0]!;
  const last = tried.at(-1)!;
  const { sessions, clients } = installation;
  const people = (load: number) => Math.round(sessions * load).toLocaleString('en');
  const machines = (load: number) => Math.round(clients * load).toLocaleString('en');
  write(`${scale.consoles} consoles, ${machines(scale.load)} clients, ${people(scale.load)} sessions\n`);
  write('| Part | busy |\n|---|---|');
  for (const [name, share] of Object.entries(first.outcome.busy)) write(`| ${name} | ${percent(share)} |`);
  write('\n| Work | a second | p50 ms | p99 ms |\n|---|---|---|---|');
  for (const [name, took] of Object.entries(first.outcome.took)) {
    const rate = Math.round(took.length / first.outcome.seconds).toLocaleString('en');
    write(`| ${name} | ${rate} | ${quantile(took, 0.5).toFixed(1)} | ${quantile(took, 0.99).toFixed(1)} |`);
  }
  write('\n| Of the database | processors |\n|---|---|');
  for (const [name, processors] of Object.entries(first.outcome.database))
    write(`| ${name} | ${processors.toFixed(1)} |`);
  const audit = auditRowsPerSecond(figures, scale);
  const gigabytes = (audit * 86_400 * installation.auditRowBytes) / 1e9;
  write(`\naudit: ${Math.round(audit).toLocaleString('en')} rows a second, ${gigabytes.toFixed(0)} GB a day`);
  const read = Math.round(first.outcome.changeRowsReadPerSecond).toLocaleString('en');
  write(`changes: ${read} rows a second read by all consoles together\n`);
  write('| Sessions | first limit |\n|---|---|');
  for (const { scale: at, limits } of [...tried].sort((one, other) => one.scale.load - other.scale.load))
    write(`| ${people(at.load)} | ${limits.map(say).join('; ') || 'none'} |`);
  for (const limit of fixedLimits(figures, scale)) write(`\nwithout a pool in between: ${say(limit)}`);
  const events = tried.reduce((sum, { outcome }) => sum + outcome.events, 0);
  write(
    last.limits.length === 0
      ? `\nno limit up to ${people(last.scale.load)} sessions`
      : `\nfirst limit at ${people(last.scale.load)} sessions: ${say(last.limits[0]!)}`,
  );
  write(
    `${events.toLocaleString('en')} events in ${(tookMs / 1000).toFixed(1)} s; assumed: ${assumed.join(', ')}`,
  );
}

function say({ name, is, atMost }: Limit): string {
  return `${name}: ${is}, at most ${atMost}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}
