/** The secrets of a client: a new one beside the old one, and the end of one. */
import { conditionsIn, makingFlags, makingIn, ownedFlags } from '../operations/changes.ts';
import { inFlags } from '../operations/flag-names.ts';
import { type Command, flags, type Input, type Tools } from '../runner/command.ts';
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
    summary: 'Gives a client a new secret; the old one works until the next rotation.',
    positionals: ['<id>'],
    flags: {
      ...secretFlag,
      ...flags({
        '[--revoke-old]': 'the old secret ends now, and every token of the client',
        '[--expires-at T]': 'when the new one ends, such as 2030-01-31T00:00:00Z (default: never)',
      }),
      ...ownedFlags,
      ...makingFlags,
    },
    async run(input, { api, readSecret }) {
      const [id = ''] = input.positionals;
      const isDryRun = input.has('dry-run');
      const [secret, expiresAt] = [await secretIn(input, readSecret), input.text('expires-at')];
      const revokesOld = input.has('revoke-old');
      const body = {
        ends: revokesOld ? 'all' : 'oldest',
        ...(secret !== undefined && { secret }),
        ...(expiresAt !== undefined && { expiresAt }),
      };
      const request = { params: { client: id }, body, ...makingIn(input) };
      const answer = await inFlags(flagOf, () => api.call('createClientSecret', request));
      const made = answer.body as SecretView & { readonly secret: string | null };
      if (isDryRun)
        return { text: `Would give ${id} a new secret.`, json: { client: id, ...made, secret: null } };
      const said = revokesOld
        ? 'The old secret does not work any more.'
        : 'The old secret works until the next rotation.';
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

export async function secretIn(input: Input, readSecret: Tools['readSecret']): Promise<string | undefined> {
  const file = input.text('secret-file');
  return file === undefined ? undefined : await readSecret(file);
}

/** A secret that was given is not repeated; one that was made by the console is shown this once (S54). */
export function shownOnce(said: string, secret: string | null): string {
  return secret === null ? said : `${said}\nIts secret, shown only now:\n\n  ${secret}\n`;
}
