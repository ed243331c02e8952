/** Commands about passwords: new ones, and links by which people choose them. */
import { createHash } from 'node:crypto';
import { changeFlags, makingFlags, makingIn } from '../operations/changes.ts';
import { type Command, flags, type Input, type Reply, type Tools, UsageError } from '../runner/command.ts';
import { inUserFlags } from './user-flags.ts';
import { rolesInWords, type UserView } from './user-view.ts';

export const passwordFile = 'the file that holds the password; - is standard input';
const ttlFlag = { '[--ttl-seconds N]': 'how long the link counts (default: 86400, a day)' };
const onceMeaning =
  'Whoever has the link chooses the password, once: it is for the person alone, and shown this once.';

/** As the API shows it. */
export interface InvitationView {
  readonly user: UserView;
  readonly link: string | null;
  readonly expiresAt: string | null;
}

export const passwordCommands: readonly Command[] = [
  {
    isOnApi: true,
    name: 'user passwd',
    summary: 'Gives a user a new password and ends all sessions of that user.',
    positionals: ['<name>'],
    flags: { ...flags({ '--password-file F': passwordFile }), ...changeFlags, ...makingFlags },
    details: ['Refused for an account of an identity provider: its password is kept and changed there.'],
    async run(input, tools) {
      const password = await tools.readSecret(input.text('password-file')!);
      const { user } = await asked('resetUserPassword', input, tools, { password });
      const said = input.has('dry-run') ? 'Would give a new password to' : 'New password for';
      return { text: `${said} ${user.id} (${rolesInWords(user.roles)}).`, json: user };
    },
  },
  {
    isOnApi: true,
    name: 'user invite',
    summary: 'Makes a link by which an invited user chooses a password; those before it are void.',
    positionals: ['<name>'],
    flags: { ...flags(ttlFlag), ...changeFlags, ...makingFlags },
    details: [onceMeaning],
    run: async (input, tools) => withLink(await asked('inviteUser', input, tools, ttlIn(input)), input),
  },
  {
    isOnApi: true,
    name: 'user reset-password',
    summary: 'Ends the password and all sessions of a user, and makes a link to choose another.',
    positionals: ['<name>'],
    flags: { ...flags(ttlFlag), ...changeFlags, ...makingFlags },
    details: [onceMeaning],
    run: async (input, tools) =>
      withLink(await asked('resetUserPassword', input, tools, ttlIn(input)), input),
  },
];

/**
 * The link of somebody who was added just now.
 *
 * @param key  of the command: its two calls are not one
 */
export async function inviteAdded(
  user: string,
  { api }: Pick<Tools, 'api'>,
  key: string,
): Promise<InvitationView> {
  const idempotencyKey = createHash('sha256').update(`${key} invite`).digest('base64url');
  return (await api.call('inviteUser', { params: { user }, body: {}, idempotencyKey }))
    .body as InvitationView;
}

export function linkText({ user, link, expiresAt }: InvitationView): string {
  return `A link for ${user.id}, until ${expiresAt}:\n\n${link}`;
}

async function asked(
  id: 'inviteUser' | 'resetUserPassword',
  input: Input,
  { api }: Pick<Tools, 'api'>,
  body: object,
): Promise<InvitationView> {
  const params = { user: input.positionals[0] ?? '' };
  return (await inUserFlags(() => api.call(id, { params, body, ...makingIn(input) }))).body as InvitationView;
}

/** A link of a dry run is of no invitation. */
function withLink({ user, link, expiresAt }: InvitationView, input: Input): Reply {
  if (input.has('dry-run')) {
    return { text: `Would make a link for ${user.id}.`, json: { user, link: null, expiresAt } };
  }
  return { text: linkText({ user, link, expiresAt }), json: { user, link, expiresAt } };
}

/** @throws {UsageError} */
function ttlIn(input: Input): { readonly ttlSeconds?: number } {
  const text = input.text('ttl-seconds');
  if (text === undefined) return {};
  if (/^\d{1,9}$/.test(text)) return { ttlSeconds: Number(text) };
  throw new UsageError('--ttl-seconds is a number of seconds.');
}
