/** What has happened: `console audit list`, `follow`, `export`. */
import type { ApiCaller } from './operations/api-caller.ts';
import { dryRunFlag } from './operations/changes.ts';
import { listFlags, listReply } from './operations/lists.ts';
import { type Command, flags, type Input, type Reply, type ReplyPart, UsageError } from './runner/command.ts';
import { fields, table } from './runner/output.ts';

/** As the API shows it. */
interface EntryView {
  readonly id: string;
  readonly createdAt: string;
  readonly event: string;
  readonly outcome: string;
  readonly actor: { readonly id: string; readonly name?: string | null } | null;
  readonly object: { readonly kind: string; readonly id: string } | null;
  readonly client: string | null;
  readonly member: string | null;
  readonly reason: string | null;
}

const filterFlags = flags({
  '[--who ID]': 'of this actor: a user’s name, or the id that entries have',
  '[--what OBJECT]': 'of objects of this kind, or of one: client, client:billing',
  '[--client ID]': 'through this client, or by it',
  '[--member ADDRESS]': 'of calls to this member',
  '[--event NAME]': 'of this name, or of a group: client.updated, client.*',
  '[--outcome O]': 'success, partial, failure or denied',
  '[--changes]': 'only those that say what they have changed',
  '[--since TIME]': 'from this time on: 2026-11-22T09:00:00Z, or 90m, 24h, 7d ago',
  '[--until TIME]': 'before this time',
});

const headings = ['TIME', 'EVENT', 'OUTCOME', 'WHO', 'WHAT', 'CLIENT', 'MEMBER', 'REASON', 'ID'];

export const auditCommands: readonly Command[] = [
  {
    isOnApi: true,
    name: 'audit list',
    summary: 'Lists what has happened, the newest first, or what led to one decision.',
    flags: {
      ...filterFlags,
      ...flags({
        '[--decision ID]': 'what led to this decision, the oldest first: sign-in, grant, token, call',
      }),
      ...listFlags,
    },
    details: [
      'The id of a decision is in the answer to whoever was denied. --decision takes the ids of requests, tokens, grants and sessions too.',
    ],
    run(input, tools) {
      const decision = input.text('decision');
      if (decision !== undefined) return traced(decision, input, tools.api);
      return listReply<EntryView>(tools, 'listAuditEntries', input, {
        headings,
        row,
        none: noneOf(input.text('what')),
        query: queryOf(input),
      });
    },
  },
  {
    isOnApi: true,
    name: 'audit show',
    summary: 'Shows all that one entry says.',
    positionals: ['<id>'],
    details: ['audit list names the entries. That it was read is an entry too.'],
    async run({ positionals: [auditEntry = ''] }, { api }) {
      const view = (await api.call('readAuditEntry', { params: { auditEntry } })).body as EntryView;
      return { text: fields(saidOf(view)), json: view };
    },
  },
  {
    isOnApi: true,
    name: 'audit follow',
    summary: 'Shows what happens from now on, until it is ended (Ctrl-C).',
    flags: filterFlags,
    async run(input, { api }) {
      return partsReply(followed(api, queryOf(input)));
    },
  },
  {
    isOnApi: true,
    name: 'audit export',
    summary: 'Prints the audit as JSON lines, CSV or CEF.',
    flags: {
      ...filterFlags,
      ...flags({ '[--format F]': 'jsonl, whose chain can be checked, csv or cef; by default jsonl' }),
    },
    async run(input, { api }) {
      const format = input.text('format') ?? 'jsonl';
      return partsReply(linesOf(api.stream('exportAudit', { query: { ...queryOf(input), format } })));
    },
  },
  {
    isOnApi: true,
    name: 'audit erase',
    summary: 'Takes what one entry says out of the audit, where a law asks for it.',
    positionals: ['<id>'],
    flags: {
      ...dryRunFlag,
      ...flags({ '--reason R': 'why: it stands in the entry that says who has erased it' }),
    },
    details: [
      'Its hash stays, so that audit verify finds the chain whole and says how many were erased. What is kept elsewhere stays there: the log, what was sent on, exports, copies of the files.',
    ],
    asks: ({ positionals: [id = ''] }) => ({ says: `This takes all that the entry ${id} says.`, name: id }),
    async run(input, { api }) {
      const [id = ''] = input.positionals;
      const isDryRun = input.has('dry-run');
      const body = { reason: input.text('reason') };
      await api.call('eraseAuditEntry', { params: { auditEntry: id }, body, isDryRun });
      return { text: `${isDryRun ? 'Would erase' : 'Erased'} ${id}.`, json: { id, erased: !isDryRun } };
    },
  },
];

/** A kind alone is asked for too, so an id alone is none that could be refused. */
function noneOf(what: string | undefined): string {
  const none = 'No such entries.';
  if (what === undefined || what.includes(':')) return none;
  return `${none} An object is asked for with its kind: --what client:${what}, user:${what}.`;
}

async function traced(id: string, input: Input, api: ApiCaller): Promise<Reply> {
  const others = Object.keys(filterFlags).filter((flag) => input.has(flag));
  if (others.length > 0) throw new UsageError(`--decision stands alone: leave out --${others[0]}.`);
  const { items } = (await api.call('traceAuditEntries', { params: { id } })).body as {
    readonly items: readonly EntryView[];
  };
  return { text: table(headings, items.map(row), 'No entry has this id.'), json: items };
}

/** Each member that says something, by its name in the API. */
function saidOf(view: object): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(view).flatMap(([name, value]) => {
      if (value === null || value === false) return [];
      return [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]];
    }),
  );
}

function row({ id, createdAt, event, outcome, actor, object, client, member, reason }: EntryView) {
  const what = object ? `${object.kind}:${object.id}` : '';
  return [
    createdAt,
    event,
    outcome,
    actor?.name ?? actor?.id ?? '',
    what,
    client ?? '',
    member ?? '',
    reason ?? '',
    id,
  ];
}

function queryOf(input: Input): Readonly<Record<string, string>> {
  const named = {
    actor: input.text('who'),
    object: input.text('what'),
    client: input.text('client'),
    member: input.text('member'),
    event: input.text('event'),
    outcome: input.text('outcome'),
    changes: input.has('changes') ? 'true' : undefined,
    since: timeOf(input, 'since'),
    until: timeOf(input, 'until'),
  };
  return Object.fromEntries(
    Object.entries(named).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @throws {UsageError} */
function timeOf(input: Input, flag: string): string | undefined {
  const text = input.text(flag);
  if (text === undefined) return undefined;
  const [, amount, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const time = amount === undefined ? Date.parse(text) : Date.now() - Number(amount) * unitMs[unit]!;
  if (Number.isNaN(time)) {
    throw new UsageError(`--${flag} is a time such as 2026-11-22T09:00:00Z, or 90m, 24h, 7d ago.`);
  }
  return new Date(time).toISOString();
}

/** The first part is the reply, so that nothing is printed where there is none. */
async function partsReply(parts: AsyncGenerator<ReplyPart, void>): Promise<Reply> {
  const { value: first } = await parts.next();
  return first ? { ...first, rest: parts } : { text: '', json: [] };
}

/** A console ends each stream after a while: it goes on where that one ended. */
async function* followed(
  api: ApiCaller,
  query: Readonly<Record<string, string>>,
): AsyncGenerator<ReplyPart, void> {
  let after: string | undefined;
  for (;;) {
    let rest = '';
    for await (const text of api.stream('followAudit', { query: { ...query, ...(after && { after }) } })) {
      const events = `${rest}${text}`.split('\n\n');
      rest = events.pop() ?? '';
      const entries: EntryView[] = [];
      for (const event of events) {
        after = /^id: (.+)$/m.exec(event)?.[1] ?? after;
        const data = /^data: (.+)$/m.exec(event)?.[1];
        if (data !== undefined) entries.push(JSON.parse(data) as EntryView);
      }
      if (entries.length > 0) yield { text: entries.map(lineOf).join('\n'), json: entries };
    }
  }
}

function lineOf(entry: EntryView): string {
  return row(entry)
    .filter((cell) => cell !== '')
    .join('  ');
}

/** Whole lines. */
async function* linesOf(stream: AsyncGenerator<string, void>): AsyncGenerator<ReplyPart, void> {
  let rest = '';
  for await (const text of stream) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield { text: lines.join('\n'), json: lines };
  }
}
