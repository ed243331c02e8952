import { ProblemError, problems } from '../../platform/errors.ts';
import { isRole, roles } from '../accounts/roles.ts';
import type { Services } from '../app/services.ts';
import { pagesOfUsers } from '../storage/record-lists.ts';
import type { UserFilter } from '../storage/record-store.ts';
import type { UserRecord } from '../storage/records.ts';
import { type Command, flags, type Input, type Reply, type ReplyPart, UsageError } from './runner/command.ts';
import { columns, fields, table, time, widthsOf } from './runner/output.ts';

const roleMeaning = `a role: ${roles.join(', ')}, or a custom one`;
const passwordFlag = { '--password-file F': 'the file that holds the password; - is standard input' };

export const userCommands: readonly Command[] = [
  {
    name: 'user add',
    summary: 'Adds a user who may sign in.',
    positionals: ['<name>'],
    flags: flags({
      '[--role R …]': roleMeaning,
      '[--email E]': 'the e-mail address',
      ...passwordFlag,
    }),
    details: ['A user without a role can sign in and see the own account, and nothing else.'],
    event: 'user.added',
    async run(input, { services, readSecret }) {
      const chosen = await readRoles(input, services);
      const { users } = await services({ creates: true });
      const user = await users.add({
        username: nameOf(input),
        password: await readSecret(input.text('password-file')!),
        roles: chosen,
        email: input.text('email'),
      });
      return done(user, `Added ${user.username} (${rolesOf(user)}).`);
    },
  },
  {
    name: 'user list',
    summary: 'Lists the users.',
    flags: flags({
      '[--beginning TEXT]': 'only those whose name or e-mail address begins so',
      '[--role R]': 'only those who have this role',
    }),
    async run(input, { services }) {
      const filter = filterOf(input);
      const { users } = await services();
      const pages = pagesOfUsers({ users: users.list }, filter, listedAtOnce);
      const { value: first = [] } = await pages.next();
      const rows = first.map(rowOf);
      const widths = widthsOf([headings, ...rows]);
      const none = Object.values(filter).some(Boolean)
        ? 'There is no such user.'
        : 'There is no user yet: npx console user add <name>';
      return { text: table(headings, rows, none), json: first.map(viewOf), rest: restOf(pages, widths) };
    },
  },
  {
    name: 'user show',
    summary: 'Shows one user.',
    positionals: ['<name>'],
    async run(input, { services }) {
      const user = await findUser(await services(), input);
      const text = fields({
        name: user.username,
        id: user.id,
        'e-mail': user.email,
        roles: rolesOf(user),
        state: stateOf(user),
        'signs in at': providerOf(user) ?? 'this console',
        added: time(user.createdAt),
      });
      return { text, json: viewOf(user) };
    },
  },
  {
    name: 'user passwd',
    summary: 'Gives a user a new password and ends all sessions of that user.',
    positionals: ['<name>'],
    flags: flags(passwordFlag),
    details: ['Refused for an account of an identity provider: its password is kept and changed there.'],
    event: 'user.password_changed',
    run: (input, { services, readSecret }) =>
      change(input, services, 'New password for', async ({ users }, { id }) =>
        users.setPassword(id, await readSecret(input.text('password-file')!)),
      ),
  },
  {
    name: 'user roles',
    summary: "Replaces a user's roles and ends all sessions of that user.",
    positionals: ['<name>'],
    flags: flags({ '--role R …': roleMeaning }),
    event: 'user.roles_changed',
    run: (input, { services }) =>
      change(input, services, 'Changed the roles of', async ({ users }, { id }) =>
        users.setRoles(id, await readRoles(input, services)),
      ),
  },
  {
    name: 'user disable',
    summary: 'Keeps a user from signing in and ends all sessions of that user.',
    positionals: ['<name>'],
    event: 'user.disabled',
    run: (input, { services }) =>
      change(input, services, 'Disabled', ({ users }, { id }) => users.setDisabled(id, true)),
  },
  {
    name: 'user enable',
    summary: 'Lets a disabled user sign in again.',
    positionals: ['<name>'],
    event: 'user.enabled',
    run: (input, { services }) =>
      change(input, services, 'Enabled', ({ users }, { id }) => users.setDisabled(id, false)),
  },
  {
    name: 'user remove',
    summary: 'Removes a user and ends all sessions of that user.',
    positionals: ['<name>'],
    asks: ({ positionals }) => `This removes the user ${positionals[0]} with all sessions and tokens.`,
    event: 'user.removed',
    run: (input, { services }) => change(input, services, 'Removed', ({ users }, { id }) => users.remove(id)),
  },
];

const headings = ['NAME', 'ROLES', 'STATE', 'SIGNS IN AT', 'E-MAIL'];
const listedAtOnce = 500;

function rowOf(user: UserRecord): readonly string[] {
  return [user.username, rolesOf(user), stateOf(user), providerOf(user) ?? 'here', user.email ?? ''];
}

/** Of more users than are held at once. */
async function* restOf(
  pages: AsyncIterable<readonly UserRecord[]>,
  widths: readonly number[],
): AsyncGenerator<ReplyPart, void> {
  for await (const page of pages) {
    if (page.length > 0) yield { text: columns(page.map(rowOf), widths), json: page.map(viewOf) };
  }
}

/** @throws {UsageError} */
function filterOf(input: Input): UserFilter {
  const [role, beginning] = [input.text('role'), input.text('beginning')];
  if (role !== undefined && beginning !== undefined) {
    throw new UsageError('--role and --beginning do not go together.');
  }
  return { role, beginning };
}

/** Changes a user; what was issued before has ended then (S34). */
async function change(
  input: Input,
  open: () => Promise<Services>,
  said: string,
  work: (services: Services, user: UserRecord) => Promise<unknown>,
): Promise<Reply> {
  const services = await open();
  const before = await findUser(services, input);
  await work(services, before);
  const after = (await services.users.find(before.id)) ?? before;
  return done(after, `${said} ${after.username} (${rolesOf(after)}).`);
}

/** @throws {ProblemError} `not_found` */
export async function findUser({ users }: Pick<Services, 'users'>, input: Input): Promise<UserRecord> {
  const user = await users.findByName(nameOf(input));
  if (!user) {
    throw new ProblemError(
      problems.notFound,
      'There is no user of this name. npx console user list shows them all.',
    );
  }
  return user;
}

function nameOf({ positionals }: Input): string {
  return positionals[0] ?? '';
}

/** @throws {UsageError} for a role that there is not, before a store is made for its sake */
async function readRoles(input: Input, open: () => Promise<Services>): Promise<readonly string[]> {
  const asked = input.texts('role') ?? [];
  if (asked.every(isRole)) return asked;
  const known: readonly string[] = await open().then(
    ({ roles: custom }) => custom.names(),
    (error: unknown) => {
      if (error instanceof ProblemError && error.problem === problems.notFound) return roles;
      throw error;
    },
  );
  if (asked.every((role) => known.includes(role))) return asked;
  throw new UsageError(`--role is one of ${known.join(', ')}.`);
}

function done(user: UserRecord, text: string): Reply {
  return { text, json: viewOf(user), target: user.id };
}

/** What may be shown of a user: no hash (S54). */
function viewOf(user: UserRecord) {
  const { id, username, email = null, roles: held, disabled, createdAt } = user;
  const provider = providerOf(user) ?? null;
  return { id, username, email, roles: held, disabled, provider, createdAt: time(createdAt) };
}

/** The id of the upstream provider that has the password, if one has. */
function providerOf({ federated }: UserRecord): string | undefined {
  return federated?.provider;
}

function rolesOf(user: UserRecord): string {
  return user.roles.join(', ') || 'no role';
}

function stateOf({ disabled }: UserRecord): string {
  return disabled ? 'disabled' : 'active';
}
