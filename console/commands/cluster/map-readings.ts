/** `console map read`: entries of many keys, read by a job of the console for whoever asks. */
import { setTimeout as delay } from 'node:timers/promises';
import { checkIsWorkedOn } from '../jobs/job.ts';
import { keyFlag, makingIn } from '../operations/changes.ts';
import { listFlags, listReply } from '../operations/lists.ts';
import { type Command, type Tools, UsageError } from '../runner/command.ts';
import { table } from '../runner/output.ts';

/** As the API shows it. */
interface ListedReading {
  readonly id: string;
  readonly map: string;
  readonly state: string;
  readonly keys: number;
  readonly read: number;
  readonly problem: { readonly detail: string } | null;
  readonly createdAt: string;
  readonly storedUntil: string | null;
  readonly endedAt: string | null;
}

interface ReadingView extends ListedReading {
  readonly entries: readonly {
    readonly id: string;
    readonly type: string | null;
    readonly bytes: number | null;
    readonly problem: { readonly detail: string } | null;
  }[];
}

const onApi = { isOnApi: true, createsStore: true } as const;
const everyMs = 200;
const mostKeys = 100;

export const mapReadingCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'map read',
    summary: 'Shows of up to 100 keys of a map whether each has an entry, its type and its size.',
    positionals: ['<map>', '<key>…'],
    flags: keyFlag,
    details: [
      'The console reads them by a job, within your rate. Exit code 1: not all of them could be read.',
    ],
    async run(input, tools) {
      const [map = '', ...keys] = input.positionals;
      if (keys.length > mostKeys) throw new UsageError(`${mostKeys} keys at most are read at once.`);
      await checkIsWorkedOn(input, tools);
      const asked = { params: { map }, body: { keys }, ...makingIn(input) };
      const begun = (await tools.api.call('startMapReading', asked)).body as ReadingView;
      const reading = await followed(begun, tools);
      const rows = reading.entries.map(({ id, type, bytes, problem }) => [
        id,
        problem?.detail ?? (bytes === null ? 'no entry' : (type ?? '')),
        bytes === null ? '' : String(bytes),
      ]);
      const left = reading.keys - reading.entries.length;
      const why = reading.problem ? [reading.problem.detail] : [];
      const text = [
        ...(rows.length > 0 ? [table(['KEY', 'TYPE', 'BYTES'], rows, '')] : []),
        ...(left > 0 ? [`${left} were not reached.`] : []),
        ...why,
      ];
      const isWhole = reading.state === 'succeeded' && reading.entries.every(({ problem }) => !problem);
      return { text: text.join('\n'), json: reading, hasFailed: !isWhole };
    },
  },
  {
    ...onApi,
    name: 'map readings',
    summary: 'Lists what you have had read of a map in the last 24 hours, the newest first.',
    positionals: ['<map>'],
    flags: listFlags,
    run: (input, tools) =>
      listReply<ListedReading>(tools, 'listMapReadings', input, {
        headings: ['READING', 'STATE', 'READ', 'BEGUN', 'STORED UNTIL'],
        row: ({ id, state, read, keys, createdAt, storedUntil }) => [
          id,
          state,
          `${read} of ${keys}`,
          createdAt,
          storedUntil ?? '',
        ],
        none: 'You have had nothing read of it in the last 24 hours.',
        params: { map: input.positionals[0] ?? '' },
      }),
  },
];

async function followed(begun: ReadingView, { api, progress }: Tools): Promise<ReadingView> {
  const bar = await progress?.();
  let reading = begun;
  try {
    for (;;) {
      bar?.report('reading', reading.read, reading.keys, ' keys');
      if (reading.endedAt !== null) return reading;
      await delay(everyMs);
      const params = { map: reading.map, reading: reading.id };
      reading = (await api.call('readMapReading', { params })).body as ReadingView;
    }
  } finally {
    bar?.close();
  }
}
