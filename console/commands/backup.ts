import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProblemError, problems } from '../../platform/errors.ts';
import { type Command, flags } from './runner/command.ts';

export const backupCommands: readonly Command[] = [
  {
    name: 'backup',
    summary: 'Writes a consistent copy of the store into a new directory, while the console may run.',
    positionals: ['<directory>'],
    details: [
      'The copy holds what the store holds: keep it as safe. console.yaml and the audit log are not in it.',
      'A running console writes it, so its user must be allowed to write there.',
    ],
    event: 'store.backed_up',
    async run({ positionals }, { services, cwd }) {
      const target = resolve(cwd, positionals[0]!);
      const { storage } = await services();
      checkIsNew(target);
      await storage.backup(target);
      return { text: `The store is copied to ${target}.`, json: { directory: target }, target };
    },
  },
  {
    name: 'storage downgrade',
    summary:
      'Writes the store as the release before had it into a new directory: the way back from an update.',
    flags: flags({
      '--to DIR': 'a directory that is not there yet; give it to that release as CONSOLE_DATA_DIR',
    }),
    details: [
      'The store stays as it is. What changes in it afterwards is not in the new directory: stop the console before.',
      'That release checks no passwords whose hashes another program has made, and reads no more than 400 MB of users and clients.',
      'console.yaml and the audit trail are not in it.',
    ],
    event: 'store.downgraded',
    async run(input, { services, cwd }) {
      const target = resolve(cwd, input.text('to')!);
      const { storage } = await services();
      checkIsNew(target);
      await storage.downgrade(target);
      const text = `The store as the release before reads it is in ${target}.`;
      return { text, json: { directory: target }, target };
    },
  },
  {
    name: 'restore',
    summary: 'Puts a backup in the place of the store; the console must not run.',
    positionals: ['<directory>'],
    details: ['The store that is replaced stays in the data directory, under replaced-<time>.'],
    event: 'store.restored',
    isLocal: true,
    async run({ positionals }, { settings, restore, cwd }) {
      const { dataDir } = await settings();
      const from = resolve(cwd, positionals[0]!);
      const replaced = await restore(from);
      const before = replaced === undefined ? 'There was none before.' : `The one before is in ${replaced}.`;
      return {
        text: `The store in ${dataDir} is now the one of ${from}. ${before}`,
        json: { directory: from, dataDir, replaced: replaced ?? null },
        target: from,
      };
    },
  },
];

function checkIsNew(target: string): void {
  if (!existsSync(target)) return;
  throw new ProblemError(problems.conflict, `${target} exists already: name a directory that does not.`);
}
