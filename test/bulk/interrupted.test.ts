/** What is left of an import that ended before its end, and how it goes on. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditOf } from '../commands/support.ts';
import { type RunningConsole, startConsole, usedDataDir, waitFor } from '../helpers/console.ts';
import { withStore } from '../helpers/store.ts';
import { fileOf, importUsers, inTheMiddle, manyUsers, startImport } from './support.ts';

const count = 1500;
const countOf = (dataDir: string, prefix: string) =>
  withStore(dataDir, async ({ records }) => {
    let found = 0;
    let after: string | undefined;
    do {
      const page = await records.users({ limit: 500, after, beginning: prefix });
      found += page.records.length;
      after = page.next;
    } while (after !== undefined);
    return found;
  });
const left = (dataDir: string) => readdirSync(dataDir).filter((name) => name.startsWith('import-'));
const lineIn = (text: string) => Number(/--from-line (\d+) --skip-existing/.exec(text)?.[1]);

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole({ dataDir: await usedDataDir() });
});
afterAll(() => console?.stop());

test('a tool that is killed leaves whole batches, and the next import says from which line to go on', async () => {
  const { dataDir } = console;
  const { file, prefix, count } = await inTheMiddle(async (lines, of) => {
    const people = fileOf('people.csv', manyUsers(lines, of));
    const tool = startImport(console, [people]);
    await firstBatch(dataDir, tool);
    tool.child.kill('SIGKILL');
    if ((await tool.exited) === 0) return undefined;
    expect(left(dataDir)).toHaveLength(1);
    return { file: people, prefix: of, count: lines };
  });

  const dry = await importUsers(console, fileOf('one.csv', 'username\nafterwards\n'), '--dry-run');
  const from = lineIn(dry.stderr);
  expect(dry.stderr).toMatch(/An import of .*people\.csv was killed: its lines up to \d+ are stored/);
  expect(left(dataDir)).toEqual([]);
  const stored = await countOf(dataDir, prefix);
  expect(stored).toBeGreaterThanOrEqual(from - 2);
  expect(stored).toBeLessThan(count);

  const rest = await importUsers(console, file, '--from-line', String(from), '--skip-existing');
  expect(rest).toMatchObject({ code: 0, stdout: expect.stringContaining('Added') });
  expect(await countOf(dataDir, prefix)).toBe(count);
  expect(auditOf(dataDir).at(-1)).toMatchObject({ event: 'users.imported', outcome: 'success' });
});

test('a console that is killed ends the import with the line from which it goes on, without a console too', async () => {
  const { dataDir, people, from, prefix, count } = await inTheMiddle(async (lines, of) => {
    const killed = await startConsole({ dataDir: await usedDataDir() });
    const people = fileOf('killed.csv', manyUsers(lines, of));
    const tool = startImport(killed, [people]);
    await firstBatch(killed.dataDir, tool);
    killed.child.kill('SIGKILL');
    const code = await tool.exited;
    await killed.stop();
    if (code === 0) return undefined;
    expect(code).toBe(1);
    const from = lineIn(tool.stderr());
    expect(from, tool.stderr()).toBeGreaterThan(1);
    expect(tool.stderr()).toContain('ended before it had answered');
    return { dataDir: killed.dataDir, people, from, prefix: of, count: lines };
  });
  expect(left(dataDir)).toEqual([]);

  const rest = await importUsers({ dataDir }, people, '--from-line', String(from), '--skip-existing');
  expect(rest.code, rest.stderr).toBe(0);
  expect(await countOf(dataDir, prefix)).toBe(count);
});

test('a disk that is full before anything is stored leaves everything as it was (S78)', async () => {
  const { dataDir } = console;
  const people = fileOf('large.csv', manyUsers(20_000, 'full-'));
  const tool = startImport(console, [people], ['sh', '-c', 'ulimit -f 1024; exec "$@"', 'sh']);
  expect(await tool.exited).toBe(1);
  expect(tool.stderr()).toMatch(/cannot be written to .* Nothing was written\./);
  expect(await countOf(dataDir, 'full-')).toBe(0);
  expect(left(dataDir)).toEqual([]);
});

test('a disk that fills up in the middle says which lines are stored, and later it goes on (S78)', async () => {
  const dataDir = await usedDataDir();
  const people = fileOf('middle.csv', manyUsers(count, 'half-'));
  // More than the files of the import need, less than the store does.
  const tool = startImport({ dataDir }, [people], ['sh', '-c', 'ulimit -f 800; exec "$@"', 'sh']);
  expect(await tool.exited).toBe(1);
  expect(tool.stderr()).toContain('--skip-existing');
  const from = lineIn(tool.stderr());
  const stored = await countOf(dataDir, 'half-');
  expect(stored).toBeLessThan(count);
  if (Number.isInteger(from)) expect(stored).toBeGreaterThanOrEqual(from - 2);

  const rest = await importUsers({ dataDir }, people, '--skip-existing');
  expect(rest.code, rest.stderr).toBe(0);
  expect(await countOf(dataDir, 'half-')).toBe(count);
});

/** What it has stored first, or its end when that was quicker than who looks. */
function firstBatch(dataDir: string, { child }: ReturnType<typeof startImport>): Promise<true> {
  const isStored = () => child.exitCode !== null || left(dataDir).some((name) => stateOf(dataDir, name) > 1);
  return waitFor(isStored, 'the first batch', 60_000);
}

/** Up to which line the import says that all is stored. */
function stateOf(dataDir: string, name: string): number {
  try {
    return JSON.parse(readFileSync(join(dataDir, name, 'state.json'), 'utf8')).line;
  } catch {
    return 0; // not written whole yet
  }
}
