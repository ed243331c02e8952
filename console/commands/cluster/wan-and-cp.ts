/** `console wan`, `console cp`: WAN publishers and the CP subsystem as the API has them. */
import type { ApiCaller } from '../operations/api-caller.ts';
import { keyFlag, makingIn } from '../operations/changes.ts';
import { listFlags, listReply } from '../operations/lists.ts';
import { type Command, flags, type Input, type Reply, UsageError } from '../runner/command.ts';
import { columns, fields } from '../runner/output.ts';
import { cpActs } from './cp-acts.ts';

/** As the API shows them. */
interface DoneView {
  readonly what: string;
  readonly at: string;
  readonly members: readonly string[];
}
interface PublisherView {
  readonly id: string;
  readonly last: DoneView;
  readonly lastSync: StartedView | null;
  readonly lastCheck: StartedView | null;
  readonly members: readonly {
    readonly member: string;
    readonly state: string | null;
    readonly since: string | null;
  }[];
}
interface StartedView extends DoneView {
  readonly sync: string | null;
}
interface AddedView {
  readonly added: readonly string[];
  readonly ignored: readonly string[];
}
interface ChangeView {
  readonly results: readonly {
    readonly member: string;
    readonly isDone: boolean;
    readonly reason: string | null;
  }[];
}
interface SyncView {
  readonly id: string;
  readonly stage: string;
  readonly progress: number | null;
}
interface CpView {
  readonly isAvailable: boolean;
  readonly reason: string | null;
  readonly members: readonly { readonly id: string; readonly address: string }[];
  readonly groups: readonly { readonly id: string }[];
}

const onApi = { isOnApi: true, createsStore: true } as const;

export const wanAndCpCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'wan list',
    summary: 'Lists the WAN publishers that this console was asked about, and what was done to them last.',
    details: ['Members tell none, nor in which state one is.'],
    flags: listFlags,
    run: (input, tools) =>
      listReply<PublisherView>(tools, 'listWanPublishers', input, {
        headings: ['PUBLISHER', 'LAST', 'AT', 'MEMBERS'],
        row: ({ id, last }) => [id, last.what, last.at, last.members.join(', ')],
        none: 'This console was asked about none.',
      }),
  },
  {
    ...onApi,
    name: 'wan show',
    summary: 'Shows what was done to a WAN publisher last through this console.',
    positionals: ['<replication>', '<publisher>'],
    details: ['In which state it is, members do not tell.'],
    async run({ positionals: [replication = '', publisher = ''] }, { api }) {
      const { body } = await api.call('readWanPublisher', { params: { replication, publisher } });
      const view = body as PublisherView;
      const { last, lastSync, lastCheck } = view;
      const started = (one: StartedView | null) =>
        one ? `${one.sync ?? ''} at ${one.at}`.trim() : undefined;
      const text = fields({
        publisher: view.id,
        last: `${last.what} at ${last.at}`,
        members: last.members,
        'last synchronization': started(lastSync),
        'last check': started(lastCheck),
        'told last': view.members.flatMap(({ member, state, since }) =>
          state === null ? [] : [`${member} ${state} at ${since}`],
        ),
      });
      return { text, json: view };
    },
  },
  {
    ...onApi,
    name: 'wan add',
    summary: 'Adds publishers to a WAN replication of the members, until they are started anew.',
    flags: {
      ...flags({ '--file F': 'the replication in JSON, as addWanConfig of the members takes it' }),
      ...keyFlag,
    },
    async run(input, { api, readFile }) {
      const config = configIn(await readFile(input.text('file')!));
      const { body } = await api.call('addWanConfig', { body: { config }, ...makingIn(input) });
      const view = body as AddedView;
      const said = { added: view.added.join(', ') || 'nothing', 'there already': view.ignored.join(', ') };
      return { text: fields({ ...said, 'there already': said['there already'] || undefined }), json: view };
    },
  },
  publisherCommand('pause', 'pauseWanPublisher', 'Pauses a WAN publisher: changes are queued and not sent.'),
  publisherCommand('resume', 'resumeWanPublisher', 'Has a WAN publisher send again.'),
  publisherCommand('stop', 'stopWanPublisher', 'Stops a WAN publisher: changes are neither queued nor sent.'),
  {
    ...publisherCommand('clear', 'clearWanPublisher', 'Throws away what a WAN publisher has queued.'),
    asks: ({ positionals: [replication = '', publisher = ''] }) => ({
      says: `This throws away what ${replication}/${publisher} has queued: it is missing over there.`,
      name: publisher,
    }),
  },
  {
    ...onApi,
    name: 'wan sync',
    summary: 'Sends all entries of one map, or of every one, to the other side.',
    positionals: ['<replication>', '<publisher>'],
    flags: flags({ '[--map M]': 'this map; without it every one that is replicated' }),
    run: (input, { api }) => begun('syncWanPublisher', input, { map: input.text('map') ?? null }, api),
  },
  {
    ...onApi,
    name: 'wan check',
    summary: 'Compares a map with that of the other side.',
    positionals: ['<replication>', '<publisher>'],
    flags: flags({ '--map M': 'which map' }),
    run: (input, { api }) => begun('checkWanPublisher', input, { map: input.text('map')! }, api),
  },
  {
    ...onApi,
    name: 'wan progress',
    summary: 'Shows how far a synchronization or a check is.',
    positionals: ['<sync>'],
    async run({ positionals: [sync = ''] }, { api }) {
      const view = (await api.call('readWanSync', { params: { sync } })).body as SyncView;
      const progress = view.progress === null ? '' : ` (${view.progress} %)`;
      return { text: `${view.id}: ${view.stage}${progress}`, json: view };
    },
  },
  {
    ...onApi,
    name: 'cp show',
    summary: 'Shows the CP subsystem with its members and groups, or why it is not there.',
    async run(_input, { api }) {
      const view = (await api.call('readCp')).body as CpView;
      const { isAvailable, reason, members, groups } = view;
      const text = fields({
        available: isAvailable ? 'yes' : `no: ${reason ?? ''}`,
        members: members.map(({ id, address }) => `${address} ${id}`),
        groups: groups.map(({ id }) => id),
      });
      return { text, json: view };
    },
  },
  ...cpActs,
];

/** @throws {UsageError} */
function configIn(text: string): object {
  try {
    const config: unknown = JSON.parse(text);
    if (typeof config === 'object' && config !== null && !Array.isArray(config)) return config;
  } catch {
    // Said below.
  }
  throw new UsageError('--file is a file with one JSON object: {"name": …, "batchPublishers": [ … ]}.');
}

async function begun(
  id: 'syncWanPublisher' | 'checkWanPublisher',
  { positionals: [replication = '', publisher = ''] }: Input,
  body: { readonly map: string | null },
  api: ApiCaller,
): Promise<Reply> {
  const { body: view } = await api.call(id, { params: { replication, publisher }, body });
  const { last } = view as { readonly last: StartedView };
  const sync = last.sync ?? '';
  return { text: `Begun. How far it is: npx console wan progress ${sync}`, json: view };
}

function publisherCommand(
  word: string,
  id: 'pauseWanPublisher' | 'resumeWanPublisher' | 'stopWanPublisher' | 'clearWanPublisher',
  summary: string,
): Command {
  return {
    ...onApi,
    name: `wan ${word}`,
    summary,
    positionals: ['<replication>', '<publisher>'],
    flags: flags({ '[--member M]': 'at this one alone, host:port or its UUID' }),
    async run(input: Input, { api }) {
      const [replication = '', publisher = ''] = input.positionals;
      const body = { member: input.text('member') ?? null };
      const { body: view } = await api.call(id, { params: { replication, publisher }, body });
      const { results } = view as ChangeView;
      const rows = results.map(({ member, isDone, reason }) => [
        member,
        isDone ? 'done' : (reason ?? 'not done'),
      ]);
      return { text: columns(rows), json: view, hasFailed: results.some(({ isDone }) => !isDone) };
    },
  };
}
