import { change, conditionsIn, makingFlags, makingIn, ownedFlags } from '../operations/changes.ts';
import { inFlags } from '../operations/flag-names.ts';
import { listFlags, listReply } from '../operations/lists.ts';
import { type Command, flags, type Input, type Reply, type Tools } from '../runner/command.ts';
import { addFlags, definitionIn, flagOf, keysIn, patchIn, updateFlags } from './client-flags.ts';
import { secretCommands, secretFlag, secretIn, shownOnce } from './client-secrets.ts';
import { tryCommand } from './client-try.ts';
import { type ClientView, describe, headings, rowOf } from './client-view.ts';

const onApi = { isOnApi: true } as const;

export const clientCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'client add',
    createsStore: true,
    summary: 'Registers an application or a machine, and shows its secret once.',
    positionals: ['<id>'],
    flags: { ...addFlags, ...secretFlag, ...makingFlags },
    details: [
      'With a redirect address it signs people in (authorization_code, refresh_token); without one it is a machine\n' +
        '(client_credentials) that gets exactly the scopes named here and has to ask for them.',
      'Scopes: openid, profile, email, offline_access, app:Viewer, app:MetricsViewer; for machines also\n' +
        'api:revocations:read and api:refusals:write (for a member proxy that is a process of its own),\n' +
        'svc:<group>:read and :write (cluster, health, data, wan, cp, persistence), svc:map:<name>:read and :write, and\n' +
        'svc:queue:<name>:offer, :poll and :size, where <name> may end in *.',
    ],
    async run(input, { api, readSecret, readFile }) {
      const isDryRun = input.has('dry-run');
      const [secret, jwks] = [await secretIn(input, readSecret), await keysIn(input, readFile)];
      const body = {
        id: idOf(input),
        ...definitionIn(input),
        ...(jwks && { jwks }),
        ...(secret !== undefined && { secret }),
      };
      const answer = await inFlags(flagOf, () => api.call('createClient', { body, ...makingIn(input) }));
      const made = answer.body as ClientView & { readonly secret: string | null };
      const said = isDryRun ? `Would register ${made.id}.` : `Registered ${made.id}.`;
      return { text: shownOnce(said, isDryRun ? null : made.secret), json: made };
    },
  },
  {
    ...onApi,
    name: 'client list',
    summary: 'Lists the clients, those that follow from the settings too.',
    flags: {
      ...flags({
        '[--kind K]': 'of one kind: machine or application',
        '[--status S]': 'active ones, or disabled',
        '[--scope S]': 'those that may ask for it',
      }),
      ...listFlags,
    },
    run: (input, tools) =>
      inFlags(nameOfQuery, () =>
        listReply<ClientView>(tools, 'listClients', input, {
          headings,
          row: rowOf,
          none: 'There is no such client.',
          isSearchedThere: true,
          query: Object.fromEntries(
            queryFlags.flatMap((flag) => (input.has(flag) ? [[flag, input.text(flag)!]] : [])),
          ),
        }),
      ),
  },
  {
    ...onApi,
    name: 'client show',
    summary: 'Shows one client.',
    positionals: ['<id>'],
    async run(input, { api }) {
      const view = (await api.call('readClient', { params: paramsOf(input) })).body as ClientView;
      return { text: describe(view), json: view };
    },
  },
  {
    ...onApi,
    name: 'client update',
    summary: 'Changes a client: its name, scopes, roles or addresses, or how it has to prove itself.',
    positionals: ['<id>'],
    details: [
      'What is not given stays. --scope, --max-role, --redirect-uri and --post-logout-uri name all of them from then on;\n' +
        'none takes away what may be away. What the client has stops working when a scope, a role or a\n' +
        'redirect address is gone, and with --dpop.',
    ],
    flags: { ...updateFlags, ...ownedFlags },
    async run(input, { api, readFile }) {
      const { isRelative, of } = patchIn(input, await keysIn(input, readFile));
      const what = { read: 'readClient', update: 'updateClient', params: paramsOf(input) } as const;
      const { body } = await inFlags(flagOf, () =>
        change<ClientView>({ api }, { ...what, input, isRelative }, of),
      );
      return done(body as ClientView, input.has('dry-run') ? 'Would change' : 'Changed');
    },
  },
  ...secretCommands,
  tryCommand,
  {
    ...onApi,
    name: 'client disable',
    summary: 'Refuses a client and every token that it has.',
    positionals: ['<id>'],
    flags: ownedFlags,
    run: (input, tools) => switched('disableClient', input, tools),
  },
  {
    ...onApi,
    name: 'client enable',
    summary: 'Lets a disabled client work again.',
    positionals: ['<id>'],
    flags: ownedFlags,
    run: (input, tools) => switched('enableClient', input, tools),
  },
  {
    ...onApi,
    name: 'client remove',
    summary: 'Removes a client; every token that it has stops working.',
    positionals: ['<id>'],
    flags: ownedFlags,
    asks: ({ positionals: [name = ''] }) => ({
      says: `This removes the client ${name}, and every token that it has stops working.`,
      name,
    }),
    async run(input, { api }) {
      const [id, isDryRun] = [idOf(input), input.has('dry-run')];
      await api.call('deleteClient', { params: paramsOf(input), ...conditionsIn(input) });
      return { text: `${isDryRun ? 'Would remove' : 'Removed'} ${id}.`, json: { id, removed: !isDryRun } };
    },
  },
];

const queryFlags = ['kind', 'status', 'scope'] as const;

function nameOfQuery(member: string): string | undefined {
  return queryFlags.some((flag) => flag === member) ? `--${member}` : undefined;
}

async function switched(
  id: 'disableClient' | 'enableClient',
  input: Input,
  { api }: Pick<Tools, 'api'>,
): Promise<Reply> {
  const isDryRun = input.has('dry-run');
  const answer = await api.call(id, { params: paramsOf(input), ...conditionsIn(input) });
  const word = id === 'disableClient' ? 'disable' : 'enable';
  const verb = isDryRun ? `Would ${word}` : `${word[0]!.toUpperCase()}${word.slice(1)}d`;
  return done(answer.body as ClientView, verb);
}

function idOf({ positionals }: Input): string {
  return positionals[0] ?? '';
}

function paramsOf(input: Input) {
  return { client: idOf(input) };
}

function done(view: ClientView, verb: string): Reply {
  return { text: `${verb} ${view.id}.\n\n${describe(view)}`, json: view };
}
