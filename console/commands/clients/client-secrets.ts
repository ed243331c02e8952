/** The secrets of a client: a new one beside the old one, and the end of one. */
import { conditionsIn, makingFlags, makingIn, ownedFlags } from '../operations/changes.ts';
import { inFlags } from '../operations/flag-names.ts';
import { type Command, flags, type Input, type Tools, UsageError } from '../runner/command.ts';
import { flagOf } from './client-flags.ts';
import type { SecretView } from './client-view.ts';

export const secretFlag = flags({
  '[--secret-file F]':
    'the file that holds the secret; - is standard input (default: a random one, shown once)',
});

const onApi = { isOnApi: true } as const;

export const secretCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'client rotate-secret',
    summary: 'Gives a client a new secret; the old one ends five minutes after the new one was first used.',
    positionals: ['<id>'],
    flags: {
      ...secretFlag,
      ...flags({
        '[--revoke-old]': 'the old secret ends now, and every token of the client',
        '[--old-ends-at T]': 'the old secret ends then, such as 2030-01-31T00:00:00Z, whoever uses which',
        '[--keep-old]': 'the old secret works until the next rotation',
        '[--expires-at T]': 'when the new one ends, such as 2030-01-31T00:00:00Z (default: never)',
      }),
      ...ownedFlags,
      ...makingFlags,
    },
    async run(input, { api, readSecret }) {
      const [id = ''] = input.positionals;
      const isDryRun = input.has('dry-run');
      const [secret, expiresAt] = [await secretIn(input, readSecret), input.text('expires-at')];
      const { body: old, said } = endOfOld(input);
      const body = {
        ...old,
        ...(secret !== undefined && { secret }),
        ...(expiresAt !== undefined && { expiresAt }),
      };
      const request = { params: { client: id }, body, ...makingIn(input) };
      const answer = await inFlags(flagOf, () => api.call('createClientSecret', request));
      const made = answer.body as SecretView & { readonly secret: string | null };
      if (isDryRun)
        return { text: `Would give ${id} a new secret.`, json: { client: id, ...made, secret: null } };
      const text = shownOnce(`New secret ${made.id} for ${id}. ${said}`, made.secret);
      return { text, json: { client: id, ...made } };
    },
  },
  {
    ...onApi,
    name: 'client remove-secret',
    summary: 'Ends one secret of a client, and every token that the client has.',
    positionals: ['<id>', '<secret>'],
    flags: {
      ...flags({ '[--keep-tokens]': 'its tokens go on: whoever had the secret is trusted' }),
      ...ownedFlags,
    },
    details: ['client show names the secrets.'],
    asks: ({ positionals: [id, secret = ''] }) => ({
      says: `This ends the secret ${secret} of the client ${id}.`,
      name: secret,
    }),
    async run(input, { api }) {
      const [client = '', secret = ''] = input.positionals;
      const isDryRun = input.has('dry-run');
      await api.call('deleteClientSecret', {
        params: { client, secret },
        query: { endTokens: String(!input.has('keep-tokens')) },
        ...conditionsIn(input),
      });
      const text = `${isDryRun ? 'Would end' : 'Ended'} the secret ${secret} of ${client}.`;
      return { text, json: { client, id: secret, removed: !isDryRun } };
    },
  },
];

/** @throws {UsageError} */
function endOfOld(input: Input): { readonly body: object; readonly said: string } {
  const [revokes, at, goesOn] = [input.has('revoke-old'), input.text('old-ends-at'), input.has('keep-old')];
  if ([revokes, at !== undefined, goesOn].filter(Boolean).length > 1)
    throw new UsageError('Say one of --revoke-old, --old-ends-at and --keep-old.');
  if (revokes) return { body: { ends: 'all' }, said: 'The old secret does not work any more.' };
  if (at !== undefined)
    return { body: { ends: 'oldest', othersEndAt: at }, said: `The old secret works until ${at}.` };
  if (goesOn) return { body: { ends: 'oldest' }, said: 'The old secret works until the next rotation.' };
  const said = 'The old secret ends five minutes after this one was first used.';
  return { body: { ends: 'oldest', othersEndOnUse: true }, said };
}

export async function secretIn(input: Input, readSecret: Tools['readSecret']): Promise<string | undefined> {
  const file = input.text('secret-file');
  return file === undefined ? undefined : await readSecret(file);
}

/** A secret that was given is not repeated; one that was made by the console is shown this once (S54). */
export function shownOnce(said: string, secret: string | null): string {
  return secret === null ? said : `${said}\nIts secret, shown only now:\n\n  ${secret}\n`;
}
