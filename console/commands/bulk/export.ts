import type { GrowingCollection } from '../../storage/record-store.ts';
import { type Command, flags, type Input, type Tools } from '../runner/command.ts';

const formatFlag = {
  '[--format F]': 'jsonl or csv (default: what the name of the file ends in, else jsonl)',
};

export const exportCommands: readonly Command[] = [
  {
    name: 'export users',
    summary: 'Writes all users to a file or to standard output, as import users takes them.',
    positionals: ['[<file>]'],
    isLocal: true,
    flags: flags({
      ...formatFlag,
      '[--with-hashes]':
        'the hashes of passwords too: whoever gets the file can guess at them, so guard it as the store',
    }),
    details: [
      'The file must not exist, and is for its owner alone. Without --with-hashes it holds no secret.',
    ],
    event: 'users.exported',
    run: (input, tools) => load('users', input, tools),
  },
  {
    name: 'export clients',
    summary: 'Writes all registered clients to a file or to standard output, as import clients takes them.',
    positionals: ['[<file>]'],
    isLocal: true,
    flags: flags({
      ...formatFlag,
      '[--with-hashes]':
        'the digests of their secrets too, so that they go on working after an import; guard the file',
    }),
    details: [
      'Secrets themselves are not known here. Clients that follow from the settings are not in it.\n' +
        'The file must not exist, and is for its owner alone.',
    ],
    event: 'clients.exported',
    run: (input, tools) => load('clients', input, tools),
  },
];

async function load(collection: GrowingCollection, input: Input, tools: Tools) {
  const { runExport } = await import('./run-export.ts');
  return runExport(collection, input, tools);
}
