/** `npm run fuzz -- http [--seed N] [--seconds N | --streams N]`: exits 1 with the smallest stream on which two sides differ. */
import { parseArgs } from 'node:util';
import { fuzzHttp } from './http.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, seconds: { type: 'string' }, streams: { type: 'string' } },
});
const [what] = positionals;
const [seed, seconds, streams] = [values.seed, values.seconds, values.streams].map((text) =>
  text === undefined ? undefined : Number(text),
);
const areNumbers = [seed, seconds, streams].every((value) => value === undefined || value >= 0);

if (what !== 'http' || positionals.length > 1 || !areNumbers) {
  console.error('npm run fuzz -- http [--seed N] [--seconds N | --streams N]');
  process.exitCode = 2;
} else {
  process.exitCode = await run();
}

async function run(): Promise<number> {
  const own = seed ?? Math.floor(Math.random() * 2 ** 31);
  console.log(`seed ${own}`);
  const { streams: count, difference } = await fuzzHttp({
    seed: own,
    streams: streams ?? Number.POSITIVE_INFINITY,
    seconds: seconds ?? (streams === undefined ? 60 : Number.POSITIVE_INFINITY),
  });
  console.log(`${count} streams`);
  if (difference === undefined) return 0;
  console.log(`the ${difference.pair} differs with its fast path (seed ${own}) on`);
  for (const chunk of difference.stream) console.log(`  ${JSON.stringify(chunk)}`);
  for (const outcome of difference.outcomes) console.log(`  ${outcome}`);
  return 1;
}
