import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Runs a script with a logger on standard output, as a process of its own. */
function run(script: string) {
  const log = new URL('../../console/log.ts', import.meta.url).href;
  const code = `import { createLogger } from ${JSON.stringify(log)};
    const log = createLogger({ level: 'info', format: 'json' });
    ${script}`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', code],
    {
      encoding: 'utf8',
    },
  );
  return {
    stderr,
    messages: stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).msg),
  };
}

test.each([
  { name: 'ends by itself', end: '' },
  { name: 'exits', end: 'process.exit(3);' },
  { name: 'fails', end: "throw new Error('uncaught');" },
])('S84: no line is lost when the process $name, and all are in order', ({ end }) => {
  const { messages } = run(`for (let i = 0; i < 500; i++) log.info(String(i));
    setImmediate(() => { log.info('last'); ${end} });`);
  expect(messages).toEqual([...Array.from({ length: 500 }, (_, i) => `${i}`), 'last']);
});
