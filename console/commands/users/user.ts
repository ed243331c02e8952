import type { OperationId } from '../operations/api-caller.ts';
import { conditionsIn, makingFlags, makingIn, ownedFlags } from '../operations/changes.ts';
import { listFlags, listReply } from '../operations/lists.ts';
import { LostAnswerError } from '../operations/lost-answer.ts';
import { type Command, flags, type Input, type Reply, type Tools, UsageError } from '../runner/command.ts';
import { explainFailure } from '../runner/failures.ts';
import {
  checkRoles,
  eligibleMeaning,
  hasBuiltInRoles,
  inUserFlags,
  roleMeaning,
  updated,
  updateFlags,
} from './user-flags.ts';
import { inviteAdded, linkText, passwordCommands, passwordFile } from './user-passwords.ts';
import { describe, headings, rolesInWords, rowOf, type UserView } from './user-view.ts';

const onApi = { isOnApi: true } as const;

export const userCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'user add',
    createsStore: hasBuiltInRoles,
    summary: 'Adds a user who may sign in.',
    positionals: ['<name>'],
    flags: {
      ...flags({
        '[--role R …]': roleMeaning,
        '[--eligible-role R …]': eligibleMeaning,
        '[--name "N"]': 'the name in full',
        '[--email E]': 'the e-mail address',
        '[--password-file F]': passwordFile,
        '[--invite]': 'without a password: the user chooses one by a link, which is printed',
      }),
      ...makingFlags,
    },
    details: [
      'A user without a role can sign in and see the own account, and nothing else.',
      'The link counts for a day and is shown this once; user invite makes another.',
    ],
    async run(input, { api, readSecret }) {
      const isDryRun = input.has('dry-run');
      checkHasOneWayIn(input);
      const [displayName, email, roles = []] = [input.text('name'), input.text('email'), input.texts('role')];
      const eligibleRoles = input.texts('eligible-role') ?? [];
      await checkRoles([...roles, ...eligibleRoles], { api });
      const file = input.text('password-file');
      const body = {
        id: nameOf(input),
        roles,
        ...(eligibleRoles.length > 0 && { eligibleRoles }),
        ...(displayName !== undefined && { displayName }),
        ...(email !== undefined && { email }),
        ...(file !== undefined && { password: await readSecret(file) }),
      };
      const making = makingIn(input);
      const answer = await inUserFlags(() => api.call('createUser', { body, ...making }));
      const reply = done(answer.body as UserView, isDryRun ? 'Would add' : 'Added');
      return file !== undefined || isDryRun ? reply : invited(reply, body.id, { api }, making.idempotencyKey);
    },
  },
  {
    ...onApi,
    name: 'user list',
    summary: 'Lists the users.',
    flags: {
      ...flags({
        '[--role R]': 'only those who have this role',
        '[--eligible-role R]': 'only those who may take this role for a while',
        '[--status S]': 'only those who are active, invited or disabled',
        '[--provider P]': 'only those of this identity provider',
      }),
      ...listFlags,
    },
    run(input, tools) {
      const query = queryIn(input);
      const none =
        Object.keys(query).length > 0 || input.has('search')
          ? 'There is no such user.'
          : 'There is no user yet: npx console user add <name>';
      return inUserFlags(() =>
        listReply<UserView>(tools, 'listUsers', input, {
          headings,
          row: rowOf,
          none,
          query,
          isSearchedThere: true,
        }),
      );
    },
  },
  {
    ...onApi,
    name: 'user show',
    summary: 'Shows one user.',
    positionals: ['<name>'],
    async run(input, { api }) {
      const user = (await api.call('readUser', { params: paramsOf(input) })).body as UserView;
      return { text: describe(user), json: user };
    },
  },
  {
    ...onApi,
    name: 'user update',
    summary: 'Changes a user; a change of roles ends all sessions of that user.',
    positionals: ['<name>'],
    flags: { ...updateFlags, ...ownedFlags },
    details: ['What is not given stays.'],
    async run(input, tools) {
      const user = await updated(input, tools, { params: paramsOf(input) });
      return done(user, input.has('dry-run') ? 'Would change' : 'Changed');
    },
  },
  ...passwordCommands,
  {
    ...onApi,
    name: 'user roles',
    summary: "Replaces a user's roles and ends all sessions of that user.",
    positionals: ['<name>'],
    flags: { ...flags({ '--role R …': roleMeaning }), ...ownedFlags },
    async run(input, tools) {
      const user = await updated(input, tools, { params: paramsOf(input) });
      return done(user, `${input.has('dry-run') ? 'Would change' : 'Changed'} the roles of`);
    },
  },
  {
    ...onApi,
    name: 'user disable',
    summary: 'Keeps a user from signing in and ends all sessions of that user.',
    positionals: ['<name>'],
    flags: ownedFlags,
    run: (input, tools) => switched('disableUser', ['Would disable', 'Disabled'], input, tools),
  },
  {
    ...onApi,
    name: 'user enable',
    summary: 'Lets a disabled user sign in again.',
    positionals: ['<name>'],
    flags: ownedFlags,
    run: (input, tools) => switched('enableUser', ['Would enable', 'Enabled'], input, tools),
  },
  {
    ...onApi,
    name: 'user end-sessions',
    summary: 'Ends all sessions of a user and all that was issued until now.',
    positionals: ['<name>'],
    flags: ownedFlags,
    run: (input, tools) =>
      switched('endUserSessions', ['Would end the sessions of', 'Ended the sessions of'], input, tools),
  },
  {
    ...onApi,
    name: 'user remove',
    summary: 'Removes a user and ends all sessions of that user.',
    positionals: ['<name>'],
    flags: ownedFlags,
    asks: ({ positionals: [name = ''] }) => ({
      says: `This removes the user ${name} with all sessions and tokens.`,
      name,
    }),
    async run(input, { api }) {
      const [id, isDryRun] = [nameOf(input), input.has('dry-run')];
      await api.call('deleteUser', { params: paramsOf(input), ...conditionsIn(input) });
      return { text: `${isDryRun ? 'Would remove' : 'Removed'} ${id}.`, json: { id, removed: !isDryRun } };
    },
  },
];

/** @throws {UsageError} */
function checkHasOneWayIn(input: Input): void {
  if (input.has('password-file') === input.has('invite')) {
    throw new UsageError(
      input.has('invite')
        ? 'Say --password-file F or --invite, not both.'
        : '--password-file F is missing, or --invite: then the user chooses a password.',
    );
  }
}

function queryIn(input: Input): Readonly<Record<string, string>> {
  const said = { role: input.text('role'), eligibleRole: input.text('eligible-role') };
  const all = { ...said, status: input.text('status'), provider: input.text('provider') };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

async function switched(
  id: OperationId,
  [would, did]: readonly [string, string],
  input: Input,
  { api }: Pick<Tools, 'api'>,
): Promise<Reply> {
  const isDryRun = input.has('dry-run');
  const answer = await api.call(id, { params: paramsOf(input), ...conditionsIn(input) });
  return done(answer.body as UserView, isDryRun ? would : did);
}

function nameOf({ positionals }: Input): string {
  return positionals[0] ?? '';
}

function paramsOf(input: Input) {
  return { user: nameOf(input) };
}

/** Added is added: without its link too, which is said. */
async function invited(added: Reply, user: string, tools: Pick<Tools, 'api'>, key: string): Promise<Reply> {
  try {
    const invitation = await inviteAdded(user, tools, key);
    const { link, expiresAt } = invitation;
    return {
      text: `${added.text}\n${linkText(invitation)}`,
      json: { ...(added.json as object), link, expiresAt },
    };
  } catch (error) {
    const why = error instanceof LostAnswerError ? error.what : explainFailure(error).message;
    const text = `${added.text}\nThere is no link yet: ${why}\nMake one, which voids any before it: npx console user invite ${user}`;
    return { text, json: { ...(added.json as object), link: null, expiresAt: null }, hasFailed: true };
  }
}

function done(user: UserView, said: string): Reply {
  return { text: `${said} ${user.id} (${rolesInWords(user.roles)}).`, json: user };
}
