/** `console queue drain --to-file`: items that the console takes into a file of its own, and that are fetched from there. */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { checkIsWorkedOn } from '../jobs/job.ts';
import { codeOf, makingIn } from '../operations/changes.ts';
import { inFlags } from '../operations/flag-names.ts';
import { listFlags, listReply } from '../operations/lists.ts';
import { type Command, flags, type Input, type Reply, type Tools } from '../runner/command.ts';

/** As the API shows it. */
interface DrainView {
  readonly id: string;
  readonly queue: string;
  readonly state: string;
  readonly items: number;
  readonly total: number | null;
  readonly storedUntil: string | null;
  readonly problem: { readonly detail: string } | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

const onApi = { isOnApi: true, createsStore: true } as const;
const everyMs = 200;

export const toFileFlags = flags({ '[--to-file F]': 'a file to make, for a line of JSON for each item' });

export const queueFileCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'queue drains',
    summary: 'Lists what was taken out of a queue into files of the console, the newest first.',
    positionals: ['<queue>'],
    flags: listFlags,
    run: (input, tools) =>
      listReply<DrainView>(tools, 'listQueueDrains', input, {
        headings: ['DRAIN', 'STATE', 'ITEMS', 'BEGUN', 'STORED UNTIL'],
        row: ({ id, state, items, createdAt, storedUntil }) => [
          id,
          state,
          String(items),
          createdAt,
          storedUntil ?? 'no file',
        ],
        none: 'Nothing was taken out of it into a file in the last 30 days.',
        params: { queue: input.positionals[0] ?? '' },
      }),
  },
  {
    ...onApi,
    name: 'queue fetch',
    summary: 'Writes items that the console has taken out of a queue to a file, and removes them there.',
    positionals: ['<queue>', '<drain>'],
    flags: {
      ...flags({
        '--to-file F': 'a file to make, for a line of JSON for each item',
        '[--keep]': 'leave them there until 24 hours are over',
      }),
    },
    details: ['The file must not exist, and is for its owner alone. queue drains lists what there is.'],
    async run(input, tools) {
      const [queue = '', drain = ''] = input.positionals;
      const path = resolve(tools.cwd, input.text('to-file')!);
      const items = await fetchTo(await newFile(path), path, { queue, drain }, tools);
      const kept = input.has('keep') ? '' : await removed({ queue, drain }, tools);
      const text = `${items} ${items === 1 ? 'item is' : 'items are'} in ${path}.${kept}`;
      return { text, json: { items, file: path } };
    },
  },
];

/** Begins it, waits for its end and fetches what was taken; what a broken command leaves is fetched by `queue fetch`. */
export async function drainToFile(queue: string, most: number, input: Input, tools: Tools): Promise<Reply> {
  await checkIsWorkedOn(input, tools);
  const path = resolve(tools.cwd, input.text('to-file')!);
  const file = await newFile(path);
  let begun: DrainView;
  try {
    const asked = { params: { queue }, body: { most }, ...makingIn(input) };
    const { body } = await inFlags(
      (member) => (member === 'most' ? '--most' : undefined),
      () => tools.api.call('startQueueDrain', asked),
    );
    begun = body as DrainView;
  } catch (error) {
    await discard(file, path);
    throw error;
  }
  tools.say?.(`The console takes them under ${begun.id}: should this break off, npx console queue fetch.`);
  const drain = await followed(begun, tools);
  const params = { queue, drain: drain.id };
  let where = '';
  if (drain.items === 0) await discard(file, path);
  else {
    await fetchTo(file, path, params, tools);
    where = ` They are in ${path}.${await removed(params, tools)}`;
  }
  const why = drain.problem ? ` ${drain.problem.detail}` : '';
  return {
    text: `${drain.items} taken.${where}${why}`,
    json: { ...drain, file: drain.items === 0 ? null : path },
    hasFailed: drain.state !== 'succeeded',
  };
}

async function followed(begun: DrainView, { api, progress }: Tools): Promise<DrainView> {
  const bar = await progress?.();
  let drain = begun;
  try {
    for (;;) {
      bar?.report('drain', drain.items, drain.total ?? 0, ' items');
      if (drain.endedAt !== null) return drain;
      await delay(everyMs);
      const params = { queue: drain.queue, drain: drain.id };
      drain = (await api.call('readQueueDrain', { params })).body as DrainView;
    }
  } finally {
    bar?.close();
  }
}

/** They are here by now: that they are not removed there fails nothing. @returns what there is to say of it */
async function removed(
  params: { readonly queue: string; readonly drain: string },
  { api }: Pick<Tools, 'api'>,
): Promise<string> {
  try {
    await api.call('deleteQueueItems', { params });
    return '';
  } catch (error) {
    if (!['reauth_required', 'insufficient_scope', 'approval_required'].includes(codeOf(error) ?? ''))
      throw error;
    return ' The console keeps them too, for 24 hours.';
  }
}

/** On the disk when it resolves: only then may they be removed elsewhere. @returns how many */
async function fetchTo(
  file: FileHandle,
  path: string,
  params: { readonly queue: string; readonly drain: string },
  { api }: Pick<Tools, 'api'>,
): Promise<number> {
  let items = 0;
  try {
    for await (const text of api.stream('fetchQueueItems', { params })) {
      items += text.split('\n').length - 1;
      await file.appendFile(text);
    }
    await file.sync();
    await file.close();
    return items;
  } catch (error) {
    await discard(file, path);
    throw error;
  }
}

/** @throws {ProblemError} `conflict` */
async function newFile(path: string): Promise<FileHandle> {
  return open(path, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause;
    throw new ProblemError(problems.conflict, `${path} exists already: name a file that does not.`, {
      cause,
    });
  });
}

async function discard(file: FileHandle, path: string): Promise<void> {
  await file.close().catch(() => {});
  await rm(path, { force: true });
}
