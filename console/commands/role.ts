import { viewOfRole } from '../accounts/custom-role-form.ts';
import type { Services } from '../app/services.ts';
import type { RoleRecord } from '../storage/records.ts';
import { type Command, flags, type Input, type Reply, UsageError } from './runner/command.ts';
import { fields, table, time } from './runner/output.ts';

const scopeMeaning =
  'what it opens at the members, separated by spaces: svc:health:read svc:map:orders-*:read';
const descriptionFlag = { '[--description TEXT]': 'one line for people' };

export const roleCommands: readonly Command[] = [
  {
    name: 'role add',
    summary: 'Makes a role of permissions, for users and for rules of identity providers.',
    positionals: ['<name>'],
    flags: flags({ '--scope "…"': scopeMeaning, ...descriptionFlag }),
    details: [
      'It opens calls to the members and nothing on the pages. Machines need none: they have scopes of their own.',
    ],
    event: 'role.added',
    async run(input, { services }) {
      const opened = await services({ creates: true });
      const description = input.text('description');
      const role = await opened.roles.add({
        name: nameOf(input),
        permissions: scopesOf(input) ?? [],
        description,
      });
      return done(opened, role, `Added ${role.id}.`);
    },
  },
  {
    name: 'role list',
    summary: 'Lists the custom roles.',
    async run(_input, { services }) {
      const { roles } = await services();
      const all = roles.list();
      const views = await Promise.all(
        all.map(async (role) => viewOfRole(role, await roles.holdersOf(role.id))),
      );
      const rows = views.map(({ name, userCount, permissions, description }) => [
        name,
        String(userCount),
        permissions.join(' '),
        description ?? '',
      ]);
      return {
        text: table(
          ['NAME', 'USERS', 'OPENS', 'DESCRIPTION'],
          rows,
          'There is no custom role yet: npx console role add <name> --scope "…"',
        ),
        json: views,
      };
    },
  },
  {
    name: 'role show',
    summary: 'Shows one custom role and who has it.',
    positionals: ['<name>'],
    async run(input, { services }) {
      const opened = await services();
      return done(opened, opened.roles.get(nameOf(input)), '');
    },
  },
  {
    name: 'role update',
    summary: 'Changes what a role opens, for everybody who has it, from the next call on.',
    positionals: ['<name>'],
    flags: flags({ '[--scope "…"]': scopeMeaning, ...descriptionFlag }),
    details: ['--scope replaces all that it has opened; what is not given stays.'],
    event: 'role.updated',
    async run(input, { services }) {
      const [permissions, description] = [scopesOf(input), input.text('description')];
      if (permissions === undefined && description === undefined) {
        throw new UsageError('Say what to change: --scope or --description.');
      }
      const opened = await services();
      const change = { ...(permissions && { permissions }), description };
      const { after: role } = await opened.roles.update(nameOf(input), change);
      return done(opened, role, `Changed ${role.id}.`);
    },
  },
  {
    name: 'role remove',
    summary: 'Removes a role, takes it from everybody who has it, and ends their sessions.',
    positionals: ['<name>'],
    details: ['Refused while rules of an identity provider give it.'],
    asks: ({ positionals }) =>
      `This takes the role ${positionals[0]} from everybody who has it, and ends their sessions.`,
    event: 'role.removed',
    async run(input, { services }) {
      const removed = nameOf(input);
      const { names: users, count: userCount } = await (await services()).roles.remove(removed);
      const taken = userCount === 0 ? '' : ` Taken from ${someOf(users, userCount)}.`;
      return {
        text: `Removed ${removed}.${taken}`,
        json: { name: removed, removed: true, users, userCount },
        target: removed,
      };
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

function scopesOf(input: Input): readonly string[] | undefined {
  return input.text('scope')?.split(' ').filter(Boolean);
}

async function done({ roles }: Services, role: RoleRecord, said: string): Promise<Reply> {
  const view = viewOfRole(role, await roles.holdersOf(role.id));
  const shown = fields({
    name: role.id,
    description: role.description,
    opens: role.permissions,
    users: someOf(view.users, view.userCount) || 'nobody',
    added: time(role.createdAt),
  });
  return { text: said === '' ? shown : `${said}\n\n${shown}`, json: view, target: role.id };
}
