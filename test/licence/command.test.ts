import { expect, test, vi } from 'vitest';
import { registryOf, temporaryDirectory, trailOf } from '../commands/support.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { startConsole } from '../helpers/console.ts';

// Each starts several processes, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const good = { id: 'L-1', holder: 'Example & Co', edition: 'Enterprise' };

/** A store that a console has made. */
async function newStore(): Promise<string> {
  const dataDir = temporaryDirectory();
  await toolDone(['user', 'add', 'ada', '--role', 'Admin', '--password-file', '-'], {
    dataDir,
    stdin: 'correct-staple-battery-9',
  });
  return dataDir;
}

const give = (dataDir: string, text: string) =>
  runTool(['licence', 'set', '--file', '-', '--json'], { dataDir, stdin: text });

test.each<[string, string, RegExp]>([
  ['no JSON', 'L-1', /not JSON/],
  ['a list', '[]', /not a JSON object/],
  ['null', 'null', /not a JSON object/],
  ['no holder', JSON.stringify({ ...good, holder: undefined }), /holder/],
  ['a blank edition', JSON.stringify({ ...good, edition: '  ' }), /edition/],
  ['an id of 201 characters', JSON.stringify({ ...good, id: 'x'.repeat(201) }), /id/],
  ['an id that steers a terminal', JSON.stringify({ ...good, id: '\u001b[2J' }), /id/],
  ['a number as its id', JSON.stringify({ ...good, id: 7 }), /id/],
  ['an end without a time', JSON.stringify({ ...good, expiresAt: '2033-05-18' }), /expiresAt/],
  ['an end that is no day', JSON.stringify({ ...good, expiresAt: '2033-15-18T00:00:00Z' }), /expiresAt/],
  ['an end in fractions', JSON.stringify({ ...good, expiresAt: 2e9 + 0.5 }), /expiresAt/],
  ['one that has ended', JSON.stringify({ ...good, expiresAt: 1_700_000_000 }), /ended at 2023-11-14/],
  ['a member nobody knows', JSON.stringify({ ...good, seats: 4 }), /nothing else/],
  ['nothing', '', /empty/],
  ['more than 64 KiB', JSON.stringify({ ...good, id: 'x'.repeat(70_000) }), /too long/],
])('%s is refused, and nothing is kept', async (_name, text, why) => {
  const dataDir = await newStore();
  const before = registryOf(dataDir);
  const { code, json } = await give(dataDir, text);
  expect(code).toBe(1);
  expect(json()).toMatchObject({ error: 'invalid_request', message: expect.stringMatching(why) });
  expect(registryOf(dataDir)).toBe(before);
});

test('set, show, status and remove, without a running console', async () => {
  const dataDir = await newStore();
  const run = async (...args: string[]) => (await toolDone(['licence', ...args], { dataDir })).stdout;
  expect(await run('show')).toContain('There is no licence.');
  expect(await run('status')).toContain('There is no licence.');
  expect(
    (await give(dataDir, JSON.stringify({ ...good, expiresAt: '2033-05-18T05:33:20+02:00' }))).json(),
  ).toEqual({
    ...good,
    expiresAt: '2033-05-18T03:33:20.000Z',
    createdAt: expect.any(String),
  });
  expect(await run('show')).toMatch(/holder +Example & Co/);
  expect(await run('status')).toMatch(
    /http:\/\/localhost:9021 +L-1 +waiting +0 +not tried yet: is the console running\?/,
  );
  expect(await run('remove', '--yes')).toContain('L-1 is removed');
  const again = await runTool(['licence', 'remove', '--yes', '--json'], { dataDir });
  expect([again.code, again.json().error]).toEqual([1, 'not_found']);
  const lines = trailOf(dataDir).filter(({ event }) => String(event).startsWith('licence.'));
  expect(lines).toMatchObject([
    { event: 'licence.set', outcome: 'success', target: 'L-1' },
    { event: 'licence.removed', outcome: 'success', target: 'L-1' },
    { event: 'licence.removed', outcome: 'denied', reason: 'not_found' },
  ]);
});

test('a backup holds the licence', async () => {
  const dataDir = temporaryDirectory();
  const console = await startConsole({ dataDir });
  await console.stop();
  expect((await give(dataDir, JSON.stringify(good))).code).toBe(0);
  const copy = `${temporaryDirectory()}/copy`;
  await toolDone(['backup', copy], { dataDir });
  await toolDone(['licence', 'remove', '--yes'], { dataDir });
  await toolDone(['restore', copy], { dataDir });
  expect((await toolDone(['licence', 'show', '--json'], { dataDir })).json()).toMatchObject(good);
});
