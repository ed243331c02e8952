/** `user list` of more users than are held at once: by the tool on a store of its own, and by a running console. */
import { expect, onTestFinished, test } from 'vitest';
import type { UserRecord } from '../../console/storage/records.ts';
import { runTool } from '../helpers/commands.ts';
import { startConsole } from '../helpers/console.ts';
import { withStore } from '../helpers/store.ts';
import { temporaryDirectory } from './support.ts';

const people = 1203;
const nameOf = (number: number) => `p-${String(number).padStart(5, '0')}`;
const person = (number: number): UserRecord => ({
  id: `id-${number}`,
  username: nameOf(number),
  email: `${number % 2 === 0 ? 'even' : 'odd'}-${number}@example.org`,
  roles: number < 700 ? ['Viewer'] : [],
  passwordHash: '',
  disabled: false,
  createdAt: 0,
  tokensValidFrom: 0,
});
const fill = (dataDir: string) =>
  withStore(dataDir, ({ records }) =>
    records.change(async (transaction) => {
      for (let number = 0; number < people; number++) transaction.put('users', person(number));
    }),
  );
const all = Array.from({ length: people }, (_, number) => nameOf(number));

type Listed = { readonly id: string }[];

test.each([
  {
    name: 'the tool alone',
    async begin() {
      const dataDir = temporaryDirectory();
      await fill(dataDir);
      return (args: string[]) => runTool(['user', 'list', ...args], { dataDir });
    },
  },
  {
    name: 'a running console',
    async begin() {
      const console = await startConsole();
      onTestFinished(async () => void (await console.stop()));
      await fill(console.dataDir);
      return (args: string[]) => runTool(['user', 'list', ...args], { dataDir: console.dataDir });
    },
  },
])(
  '$name lists each user once, as text and as one JSON array, and those that are asked for',
  async ({ begin }) => {
    const list = await begin();
    const names = async (...args: string[]) => {
      const listed = (await list([...args, '--json'])).json<Listed>();
      return listed.map(({ id }) => id).filter((name) => name !== 'ada');
    };
    expect(await names()).toEqual(all);
    expect((await names('--role', 'Viewer')).sort()).toEqual(all.slice(0, 700));
    expect(await names('--search', 'P-0000')).toEqual(all.slice(0, 10));
    expect(await names('--search', 'even-12')).toHaveLength(8);
    expect(await names('--search', 'nobody')).toEqual([]);
    const { stdout } = await list([]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^NAME\s+ROLES\s+STATE\s+SIGNS IN AT\s+E-MAIL$/);
    expect(lines.filter((line) => line.startsWith('p-'))).toHaveLength(people);
    expect(lines.at(-1)).toMatch(/^p-01202\s+no role\s+active\s+here\s+even-1202@example\.org$/);
    expect(await names('--role', 'Viewer', '--search', 'p-0069')).toEqual(all.slice(690, 700));
    expect(await names('--role', 'Viewer', '--limit', '7')).toHaveLength(7);
  },
);
