import {
  change,
  changedSet,
  conditionsIn,
  isSetNamed,
  makingFlags,
  makingIn,
  ownedFlags,
  readSet,
  setFlags,
} from './operations/changes.ts';
import { listFlags, listReply } from './operations/lists.ts';
import { type Command, flags, type Input, type Reply, UsageError } from './runner/command.ts';
import { fields } from './runner/output.ts';

/** As the API shows it. */
interface RoleView {
  readonly id: string;
  readonly description: string | null;
  readonly permissions: readonly string[];
  readonly builtIn: boolean;
  readonly users: readonly string[];
  readonly userCount: number;
  readonly createdAt: string | null;
}

const scopeMeaning =
  'what it opens, separated by spaces: svc:health:read svc:map:orders-*:read api:users:read';
const descriptionFlag = { '[--description TEXT]': 'one line for people' };
const onApi = { isOnApi: true } as const;

export const roleCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'role add',
    createsStore: true,
    summary: 'Makes a role of permissions, for users and for rules of identity providers.',
    positionals: ['<name>'],
    flags: { ...flags({ '--scope "…" …': scopeMeaning, ...descriptionFlag }), ...makingFlags },
    details: [
      'It opens calls to the members and, with api:<object>:read or :write, the admin API and its pages.\n' +
        'Machines need none: they have scopes of their own.',
    ],
    async run(input, { api }) {
      const description = input.text('description');
      const permissions = input.texts('scope')!.flatMap(scopesOf);
      const isDryRun = input.has('dry-run');
      const { body } = await api.call('createRole', {
        ...makingIn(input),
        body: { id: nameOf(input), permissions, ...(description !== undefined && { description }) },
      });
      return done(body as RoleView, isDryRun ? 'Would add' : 'Added');
    },
  },
  {
    ...onApi,
    name: 'role list',
    summary: 'Lists the custom roles.',
    flags: listFlags,
    run: (input, tools) =>
      listReply<RoleView>(tools, 'listRoles', input, {
        headings: ['NAME', 'USERS', 'OPENS', 'DESCRIPTION'],
        row: ({ id, userCount, permissions, description }) => [
          id,
          String(userCount),
          permissions.join(' '),
          description ?? '',
        ],
        none: 'There is no custom role yet: npx console role add <name> --scope "…"',
        isShown: ({ builtIn }) => !builtIn,
      }),
  },
  {
    ...onApi,
    name: 'role show',
    summary: 'Shows one role and who has it.',
    positionals: ['<name>'],
    async run(input, { api }) {
      return done((await api.call('readRole', { params: { role: nameOf(input) } })).body as RoleView);
    },
  },
  {
    ...onApi,
    name: 'role update',
    summary: 'Changes what a role opens, for everybody who has it, from the next call on.',
    positionals: ['<name>'],
    flags: { ...setFlags('scope', '"…"', scopeMeaning), ...flags(descriptionFlag), ...ownedFlags },
    details: ['What is not given stays.'],
    async run(input, { api }) {
      const scopes = readSet(input, 'scope', scopesOf);
      const description = input.text('description');
      if (!isSetNamed(scopes) && description === undefined) {
        throw new UsageError('Say what to change: --scope, --add-scope, --remove-scope or --description.');
      }
      const { body } = await change<RoleView>(
        { api },
        {
          ...{ read: 'readRole', update: 'updateRole', params: { role: nameOf(input) }, input },
          isRelative: isSetNamed(scopes) && scopes.all === undefined,
        },
        (now) => ({
          ...(isSetNamed(scopes) && { permissions: changedSet(scopes, now?.permissions ?? []) }),
          ...(description !== undefined && { description }),
        }),
      );
      return done(body as RoleView, input.has('dry-run') ? 'Would change' : 'Changed');
    },
  },
  {
    ...onApi,
    name: 'role remove',
    summary: 'Removes a role, takes it from everybody who has it, and ends their sessions.',
    positionals: ['<name>'],
    flags: ownedFlags,
    details: ['Refused while rules of an identity provider give it.'],
    asks: ({ positionals: [name = ''] }) => ({
      says: `This takes the role ${name} from everybody who has it, and ends their sessions.`,
      name,
    }),
    async run(input, { api }) {
      const params = { role: nameOf(input) };
      const { id, users, userCount } = (await api.call('readRole', { params })).body as RoleView;
      const isDryRun = input.has('dry-run');
      await api.call('deleteRole', { params, ...conditionsIn(input) });
      const taken = userCount === 0 ? '' : ` Taken from ${someOf(users, userCount)}.`;
      if (isDryRun) return { text: `Would remove ${id}.`, json: { id, removed: false, users, userCount } };
      return { text: `Removed ${id}.${taken}`, json: { id, removed: true, users, userCount } };
    },
  },
];

/** Names, and how many there are that are not named. */
function someOf(names: readonly string[], count: number): string {
  const more = count - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function nameOf({ positionals }: Input): string {
  return positionals[0] ?? '';
}

function scopesOf(text: string): readonly string[] {
  return text.split(' ').filter(Boolean);
}

function done(view: RoleView, verb?: string): Reply {
  const shown = fields({
    name: view.id,
    description: view.description ?? undefined,
    opens: view.permissions,
    users: someOf(view.users, view.userCount) || 'nobody',
    added: view.createdAt ?? undefined,
  });
  return { text: verb === undefined ? shown : `${verb} ${view.id}.\n\n${shown}`, json: view };
}
