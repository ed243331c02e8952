import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { built } from '../helpers/built.ts';

/** Runs a script with a logger on standard output, as a process of its own. */
function run(script: string) {
  const log = new URL('../../platform/log.ts', import.meta.url).href;
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
])('no line is lost when the process $name, and all are in order (S84)', ({ end }) => {
  const { messages } = run(`for (let i = 0; i < 500; i++) log.info(String(i));
    setImmediate(() => { log.info('last'); ${end} });`);
  expect(messages).toEqual([...Array.from({ length: 500 }, (_, i) => `${i}`), 'last']);
});

/** Modules that give a logger for standard error, each with the line that makes one. */
const processes = [
  {
    name: 'the console, the proxy',
    file: 'platform/log.ts',
    make: "own.createLogger({ level: 'info', format: 'json', descriptor: 2 })",
  },
  { name: 'the dashboard', file: 'dashboard/log.ts', make: 'own.createLogger()' },
  {
    name: 'the member',
    file: 'platform/log-output.ts',
    make: 'pino({}, own.openLogOutput({ descriptor: 2 }))',
  },
];

test.each(processes)('$name: goes on and ends although nobody reads the log (C3)', async ({ file, make }) => {
  const code = `import { pino } from 'pino';
    const own = await import(${JSON.stringify(built(file))});
    const log = ${make};
    for (let turn = 0; turn < 50; turn++) {
      for (let n = 0; n < 100; n++) log.info({ text: 'x'.repeat(1000) }, 'unread');
      await new Promise((resolve) => setImmediate(resolve));
    }
    process.stdout.write('done', () => process.exit(0));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stderr.pause();
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const [status] = await once(child, 'exit');
  expect([status, said]).toEqual([0, 'done']);
});
