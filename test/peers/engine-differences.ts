/** Where the embedded member answers otherwise than the real engine, why, and the table that the documentation shows. */
import type { Case } from './engine-cases.ts';
import { closed } from './engine-table.ts';

export interface Difference extends Pick<Case, 'kind' | 'name'> {
  readonly here: string;
  /** Of 5.3.8 and 5.7.0. */
  readonly older: string;
  readonly newer: string;
}

/** The first that holds is the reason; a difference that nobody can give a reason for is a flaw of the member. */
const reasons: readonly (readonly [why: string, holds: (difference: Difference) => boolean])[] = [
  ['a caller can tell it from a dead member', ({ kind }) => kind === 'off'],
  ['the specification’s name for `config/update`', ({ name }) => name.includes('/config/upload')],
  ['the specification’s name for `reset`', ({ name }) => name.includes('/cp-subsystem/restart')],
  ['the specification has the `DELETE`', ({ name }) => name.startsWith('DELETE /svc/rest/log-level')],
  [
    'no poll that nobody asked for: the specification requires the seconds',
    ({ name }) => /(?:GET|DELETE) \/svc\/rest\/queues\/q\/$/.test(name),
  ],
  ['bad input is the caller’s fault', ({ name }) => /\/queues\/q\/(?:x|size|\d{9,})$/.test(name)],
  ['a path that names no entry has none', ({ name }) => /^HEAD \/svc\/rest\/(?:maps|queues)\//.test(name)],
  ['`address` as the specification writes it', ({ name }) => name === 'GET /svc/rest/cluster'],
  ['`+` is a plus in percent-encoding', ({ name }) => name.includes('%20')],
  [
    'a type’s parameters can be case-sensitive',
    ({ here, newer }) => here !== newer && here.toLowerCase() === newer.toLowerCase(),
  ],
  ['the specification: a polled item is text', ({ name }) => name.startsWith('DELETE /svc/rest/queues/')],
  [
    'nobody joins this member: as the real engine answers with that join off',
    ({ kind, name }) => kind === 'on' && name.includes('/tcp-ip/'),
  ],
  [
    'as in the enterprise edition, which does it and checks who asks',
    ({ name, here }) => /\/(?:license|config\/(?:reload|update))$/.test(name) && here !== '500',
  ],
  [
    'a success that does nothing misleads: a key has a form',
    ({ name, here }) => name.endsWith('/license') && here === '500',
  ],
  ['JSON says that it is', ({ kind, name }) => kind === 'on' && name.endsWith('/hotBackupInterrupt')],
  [
    'no operation’s UUID is an empty one',
    ({ kind, name }) => kind === 'missing part' && name.endsWith('/progress/'),
  ],
  [
    '400 and 500 are empty: the specification; the member’s log has the reason',
    ({ here, older, newer }) =>
      (here === '400' || here === '500') && [older, newer].some((answer) => answer.startsWith(`${here} `)),
  ],
];

export function whyOf(difference: Difference): string | undefined {
  return reasons.find(([, holds]) => holds(difference))?.[0];
}

/** @param answers  by kind and name, see `answersOf` */
export function differencesIn(
  cases: readonly Case[],
  answers: Readonly<Record<'here' | 'older' | 'newer', ReadonlyMap<string, string>>>,
): Difference[] {
  return cases
    .map(({ kind, name }) => {
      const key = `${kind}: ${name}`;
      const [here, older, newer] = [answers.here, answers.older, answers.newer].map((map) => map.get(key)!);
      return { kind, name, here: here!, older: older!, newer: newer! };
    })
    .filter(({ here, older, newer }) => here !== older || here !== newer);
}

/** One row for each reason within a kind of case. */
export function tableOf(differences: readonly Difference[], cases: readonly Case[]): string {
  const rows = new Map<string, Difference[]>();
  for (const difference of differences) {
    const key = `${difference.kind}|${whyOf(difference)}`;
    rows.set(key, [...(rows.get(key) ?? []), difference]);
  }
  const lines = [...rows.values()].map((row) => {
    const { kind } = row[0]!;
    const isAll = row.length === cases.filter((one) => one.kind === kind).length;
    const cells = [
      kind,
      isAll ? 'every call' : callsOf(row),
      distinct(row.map(({ here, newer }) => phrase(here, newer))),
      distinct(row.flatMap(({ here, older, newer }) => [phrase(older, here), phrase(newer, here)])),
      whyOf(row[0]!),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return ['| Case | Call | Here | Real engine | Why |', '|---|---|---|---|---|', ...lines].join('\n');
}

/** As many as a cell of a table can hold are named. */
const mostNamed = 6;

/** Paths without their common start, each with its methods before it; of many, only what they are about. */
function callsOf(row: readonly Difference[]): string {
  const methods = new Map<string, Set<string>>();
  for (const { name } of row) {
    const [method, path] = name.split(' ') as [string, string];
    const shown = path.replace(/^\/svc(?:\/rest)?\//, '').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{uuid}');
    methods.set(shown, (methods.get(shown) ?? new Set()).add(method));
  }
  if (methods.size > mostNamed) {
    const areas = [...new Set([...methods.keys()].map((path) => path.split('/')[0]))];
    return `${row.length} calls of ${areas.map((area) => `\`${area}\``).join(', ')}`;
  }
  return [...methods].map(([path, of]) => `${[...of].join(', ')} \`${path}\``).join('; ');
}

/** Status and type tell most differences; where they are the same, the body does. */
function phrase(answer: string, other: string): string {
  if (answer === closed) return closed;
  const { status, type } = partsOf(answer);
  const others = partsOf(other);
  if (status === others.status && type === others.type) return `\`${answer}\``;
  return `${status} ${type || 'empty'}`;
}

function partsOf(answer: string): { readonly status: string; readonly type: string } {
  const [, status = answer, type = ''] =
    /^(\d+)(?: (\[b@<hash>|[^\s;]+\/[^\s;]+(?:; [^\s{]+)?))?/.exec(answer) ?? [];
  return { status, type };
}

function distinct(answers: readonly string[]): string {
  return [...new Set(answers)].sort().join(', ');
}
