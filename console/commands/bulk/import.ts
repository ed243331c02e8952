import { clientFields, userFields } from '../../bulk/columns.ts';
import type { GrowingCollection } from '../../storage/record-store.ts';
import { type Command, flags, type Input, type Tools } from '../runner/command.ts';

const commonFlags = {
  '[--dry-run]': 'read and check everything, and write nothing',
  '[--continue]':
    'leave out what is wrong, and write it with its reason to a file, instead of stopping before anything is written',
  '[--rejected F]':
    'that file (default: the name of what is imported, with .rejected.jsonl); it must not exist',
  '[--skip-existing]': 'who is there already stays, and is no fault',
  '[--from-line N]': 'pass over the lines before, as an interrupted import says',
};

export const importCommands: readonly Command[] = [
  {
    name: 'import users',
    summary: 'Adds users from a file, with the hashes of their passwords.',
    positionals: ['<file>'],
    isLocal: true,
    flags: flags({
      '[--from S]': 'what wrote it: keycloak, auth0 or ldif',
      '[--format F]': 'jsonl or csv (default: what its name ends in)',
      '[--role R …]': 'a role for whoever has none in the file',
      '[--no-passwords]': 'pass over the hashes: nobody can sign in before a password is given',
      ...commonFlags,
    }),
    details: [
      'Nothing is written unless every line is right, but with --continue. Names that somebody has, or that look like\n' +
        'one, are faults as everywhere; docs/import.md has a recipe for each kind of file. - is standard input.',
      `Fields and columns: ${userFields.join(', ')}.`,
    ],
    event: 'users.imported',
    run: (input, tools) => load('users', input, tools),
  },
  {
    name: 'import clients',
    summary: 'Registers clients from a file that export clients wrote, or one like it.',
    positionals: ['<file>'],
    isLocal: true,
    flags: flags({ '[--format F]': 'jsonl or csv (default: what its name ends in)', ...commonFlags }),
    details: [
      'A client with a secret has it in clear as secret, or its digests as secrets; without either it needs\n' +
        'client rotate-secret before it can do anything. - is standard input.',
      `Fields and columns: ${clientFields.join(', ')}.`,
    ],
    event: 'clients.imported',
    run: (input, tools) => load('clients', input, tools),
  },
];

/** What reads files is loaded when one is imported: no other command has a use for it. */
async function load(collection: GrowingCollection, input: Input, tools: Tools) {
  const { runImport } = await import('./run-import.ts');
  return runImport(collection, input, tools);
}
