/** `console map`, `console queue`: what members give over REST, as the API has it. */
import { dryRunFlag, keyFlag, makingFlags, makingIn } from '../operations/changes.ts';
import { inFlags } from '../operations/flag-names.ts';
import { listFlags, listReply } from '../operations/lists.ts';
import { type Command, flags, type Input, type Tools, UsageError } from '../runner/command.ts';
import { fields } from '../runner/output.ts';
import { mapReadingCommands } from './map-readings.ts';
import { drainToFile, queueFileCommands, toFileFlags } from './queue-files.ts';

/** As the API shows them. */
interface StructureView {
  readonly id: string;
  readonly sources: readonly string[];
  readonly lastCallOn: string | null;
  /** Of the last hour, by map or by queue; null where nothing is known. */
  readonly callsPerSecond?: number | null;
  readonly hitShare?: number | null;
  readonly meanValueBytes?: number | null;
  readonly size?: number | null;
  readonly offersPerSecond?: number | null;
  readonly pollsPerSecond?: number | null;
  readonly pollsWaiting?: number | null;
}
interface StoredView {
  readonly type: string | null;
  readonly bytes: number;
  readonly value: string;
}

const onApi = { isOnApi: true, createsStore: true } as const;
const listed = ['Members tell no names: these are of roles, of clients, and of calls of 30 days.'];
const valueFlags = flags({
  '[--value T]': 'the text',
  '[--value-file F]': 'a file that has it, UTF-8',
  '[--type M]': 'the media type that is stored with it',
});

export const mapCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'map list',
    summary: 'Lists the maps that are known by name.',
    details: listed,
    flags: listFlags,
    run: (input, tools) => listStructures(input, tools, 'listMaps'),
  },
  {
    ...onApi,
    name: 'map show',
    summary: 'Shows what is known of a map.',
    positionals: ['<map>'],
    details: ['Members tell neither whether there is one, nor how large it is.'],
    async run({ positionals: [map = ''] }, { api }) {
      const view = (await api.call('readMap', { params: { map } })).body as StructureView;
      const text = fields({
        map: view.id,
        'known from': view.sources.join(', ') || 'nowhere; there may be one all the same',
        'last call': view.lastCallOn?.slice(0, 10) ?? 'none in 30 days',
      });
      return { text, json: view };
    },
  },
  {
    ...onApi,
    name: 'map get',
    summary: 'Shows an entry of a map.',
    positionals: ['<map>', '<key>'],
    async run(input, { api }) {
      return shown((await api.call('readMapEntry', { params: entryOf(input) })).body as StoredView);
    },
  },
  {
    ...onApi,
    name: 'map put',
    summary: 'Stores an entry in a map.',
    positionals: ['<map>', '<key>'],
    flags: { ...valueFlags, ...dryRunFlag },
    async run(input, { api, readFile }) {
      const body = await storedIn(input, readFile);
      const isDryRun = input.has('dry-run');
      const { body: view } = await api.call('putMapEntry', { params: entryOf(input), body, isDryRun });
      const [map, key] = input.positionals;
      return { text: `${isDryRun ? 'Would store' : 'Stored'} ${key} in ${map}.`, json: view };
    },
  },
  {
    ...onApi,
    name: 'map remove',
    summary: 'Removes an entry from a map.',
    positionals: ['<map>', '<key>'],
    flags: dryRunFlag,
    asks: ({ positionals: [map, key = ''] }) => ({
      says: `This removes ${key} from the map ${map}.`,
      name: key,
    }),
    async run(input, { api }) {
      const isDryRun = input.has('dry-run');
      await api.call('deleteMapEntry', { params: entryOf(input), isDryRun });
      const [map, key] = input.positionals;
      return {
        text: `${isDryRun ? 'Would remove' : 'Removed'} ${key} from ${map}.`,
        json: { map, key, removed: !isDryRun },
      };
    },
  },
  {
    ...onApi,
    name: 'map clear',
    summary: 'Removes every entry of a map.',
    positionals: ['<map>'],
    flags: dryRunFlag,
    asks: ({ positionals: [map = ''] }) => ({
      says: `This removes every entry of the map ${map}.`,
      name: map,
    }),
    async run(input, { api }) {
      const [map = ''] = input.positionals;
      const isDryRun = input.has('dry-run');
      await api.call('clearMap', { params: { map }, isDryRun });
      return { text: `${isDryRun ? 'Would clear' : 'Cleared'} ${map}.`, json: { map, cleared: !isDryRun } };
    },
  },
  ...mapReadingCommands,
];

const drainCommand: Command = {
  ...onApi,
  name: 'queue drain',
  summary: 'Takes the first items of a queue away from everybody, and prints them.',
  positionals: ['<queue>'],
  flags: {
    ...flags({ '--most N': 'so many at most: to 100, or to 100000 with --to-file' }),
    ...toFileFlags,
    ...keyFlag,
  },
  details: [
    'With --to-file the console takes them one by one into a file of its own, which is fetched from there at the end.',
  ],
  asks: ({ positionals: [queue = ''], text }) => ({
    says: `This takes up to ${text('most')} items of the queue ${queue} away from everybody.`,
    name: queue,
  }),
  async run(input, tools) {
    const { api } = tools;
    const [queue = ''] = input.positionals;
    const most = Number(input.text('most'));
    if (!Number.isInteger(most) || most < 1) throw new UsageError('--most is a whole number, 1 or more.');
    if (input.has('to-file')) return drainToFile(queue, most, input, tools);
    const { body } = await inFlags(
      (member) => (member === 'most' ? '--most' : undefined),
      () => api.call('drainQueue', { params: { queue }, body: { most }, ...makingIn(input) }),
    );
    const { items, left } = body as { readonly items: readonly StoredView[]; readonly left: number | null };
    const lines = items.map((item) => shown(item).text);
    const still = left === null ? '' : ` ${left} left.`;
    return { text: [...lines, `${items.length} taken.${still}`].join('\n'), json: body };
  },
};

export const queueCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'queue list',
    summary: 'Lists the queues that are known by name.',
    details: listed,
    flags: listFlags,
    run: (input, tools) => listStructures(input, tools, 'listQueues'),
  },
  {
    ...onApi,
    name: 'queue show',
    summary: 'Shows how many items a queue has.',
    positionals: ['<queue>'],
    async run({ positionals: [queue = ''] }, { api }) {
      const { body } = await api.call('readQueue', { params: { queue } });
      const { size } = body as { readonly size: number };
      return { text: `${queue} has ${size} ${size === 1 ? 'item' : 'items'}.`, json: body };
    },
  },
  {
    ...onApi,
    name: 'queue offer',
    summary: 'Puts an item at the end of a queue.',
    positionals: ['<queue>'],
    flags: { ...valueFlags, ...makingFlags },
    async run(input, { api, readFile }) {
      const [queue = ''] = input.positionals;
      const body = await storedIn(input, readFile);
      const isDryRun = input.has('dry-run');
      const { body: view } = await api.call('offerToQueue', { params: { queue }, body, ...makingIn(input) });
      const { size } = view as { readonly size: number };
      const items = size === 1 ? '1 item' : `${size} items`;
      return { text: `${queue} ${isDryRun ? 'would have' : 'has'} ${items}.`, json: view };
    },
  },
  {
    ...onApi,
    name: 'queue poll',
    summary: 'Takes the first item of a queue away from everybody, and prints it.',
    positionals: ['<queue>'],
    asks: ({ positionals: [queue = ''] }) => ({
      says: `This takes an item of the queue ${queue} away from everybody.`,
      name: queue,
    }),
    flags: keyFlag,
    async run(input, { api }) {
      const [queue = ''] = input.positionals;
      const { item } = (await api.call('pollQueue', { params: { queue }, ...makingIn(input) })).body as {
        readonly item: StoredView | null;
      };
      return item ? shown(item) : { text: `${queue} has no item.`, json: null };
    },
  },
  drainCommand,
  ...queueFileCommands,
];

/** Of the last hour. */
const listedFigures = {
  listMaps: [
    { heading: 'CALLS/S', of: 'callsPerSecond' },
    { heading: 'FOUND', of: 'hitShare' },
    { heading: 'MEAN BYTES', of: 'meanValueBytes' },
  ],
  listQueues: [
    { heading: 'ITEMS', of: 'size' },
    { heading: 'OFFERS/S', of: 'offersPerSecond' },
    { heading: 'POLLS/S', of: 'pollsPerSecond' },
    { heading: 'WAITING POLLS', of: 'pollsWaiting' },
  ],
} as const;

function listStructures(input: Input, tools: Pick<Tools, 'api'>, id: keyof typeof listedFigures) {
  const figures = listedFigures[id];
  return listReply<StructureView>(tools, id, input, {
    headings: ['NAME', ...figures.map(({ heading }) => heading), 'KNOWN FROM', 'LAST CALL'],
    row: (view) => [
      view.id,
      ...figures.map(({ of }) => String(view[of] ?? '-')),
      view.sources.join(', '),
      view.lastCallOn?.slice(0, 10) ?? '',
    ],
    none: 'None is known by name. There may be some all the same.',
    isSearchedThere: true,
  });
}

function entryOf({ positionals: [map = '', key = ''] }: Input) {
  return { map, key };
}

function shown(view: StoredView) {
  return { text: Buffer.from(view.value, 'base64').toString('utf8'), json: view };
}

/** @throws {UsageError} for none, and for two */
async function storedIn(input: Input, readFile: Tools['readFile']) {
  const [text, file] = [input.text('value'), input.text('value-file')];
  if ((text === undefined) === (file === undefined)) {
    throw new UsageError('Say what is to be stored: --value or --value-file.');
  }
  const type = input.text('type');
  const value = Buffer.from(text ?? (await readFile(file!))).toString('base64');
  return { value, ...(type !== undefined && { type }) };
}
