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
      const rows = all.map((role) => [
        role.id,
        String(roles.usersWith(role.id).length),
        role.permissions.join(' '),
        role.description ?? '',
      ]);
      return {
        text: table(
          ['NAME', 'USERS', 'OPENS', 'DESCRIPTION'],
          rows,
          'There is no custom role yet: npx console role add <name> --scope "…"',
        ),
        json: all.map((role) => viewOfRole(role, roles.usersWith(role.id))),
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
      const role = await opened.roles.update(nameOf(input), change);
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
      const users = await (await services()).roles.remove(removed);
      const taken = users.length === 0 ? '' : ` Taken from ${users.join(', ')}.`;
      return {
        text: `Removed ${removed}.${taken}`,
        json: { name: removed, removed: true, users },
        target: removed,
      };
    },
  },
];

function nameOf({ positionals }: Input): string {
  return positionals[0] ?? '';
}

function scopesOf(input: Input): readonly string[] | undefined {
  return input.text('scope')?.split(' ').filter(Boolean);
}

function done({ roles }: Services, role: RoleRecord, said: string): Reply {
  const view = viewOfRole(role, roles.usersWith(role.id));
  const shown = fields({
    name: role.id,
    description: role.description,
    opens: role.permissions,
    users: view.users.join(', ') || 'nobody',
    added: time(role.createdAt),
  });
  return { text: said === '' ? shown : `${said}\n\n${shown}`, json: view, target: role.id };
}
