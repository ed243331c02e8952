import { dryRunFlag } from './operations/changes.ts';
import { type Command, flags } from './runner/command.ts';
import { fields, table } from './runner/output.ts';

/** As the API shows it. */
interface KeyView {
  readonly id: string;
  readonly alg: string;
  readonly state: 'next' | 'current' | 'retired';
  readonly createdAt: string;
  readonly signsFrom: string | null;
  readonly signsUntil: string | null;
  readonly leavesAt: string | null;
}

/** Those that sign first; within one state as verifiers are told of them. */
const states = ['current', 'next', 'retired'];
const algorithms = ['RS256', 'ES256', 'EdDSA'];

export const keyCommands: readonly Command[] = [
  {
    isOnApi: true,
    name: 'keys list',
    summary: 'Lists the signing keys of the key set.',
    async run(_input, { api }) {
      // There are a handful: an algorithm has one that signs, one that is next, and those that have retired.
      const { items } = (await api.call('listKeys', { query: { limit: 500 } })).body as {
        readonly items: readonly KeyView[];
      };
      const keys = inOrder(items);
      const rows = keys.map((key) => [key.id, key.alg, key.state, describeTimes(key)]);
      const headings = ['ID', 'ALGORITHM', 'STATE', ''];
      return { text: table(headings, rows, 'There is no key yet: the first start makes them.'), json: keys };
    },
  },
  {
    isOnApi: true,
    name: 'keys show',
    summary: 'Shows one signing key, by the kid that tokens name.',
    positionals: ['<id>'],
    async run({ positionals: [key = ''] }, { api }) {
      const view = (await api.call('readKey', { params: { key } })).body as KeyView;
      const text = fields({
        id: view.id,
        algorithm: view.alg,
        state: view.state,
        'in the key set since': view.createdAt,
        'signs from': view.signsFrom ?? undefined,
        'signs until': view.signsUntil ?? undefined,
        'leaves at': view.leavesAt ?? undefined,
      });
      return { text, json: view };
    },
  },
  {
    isOnApi: true,
    name: 'keys rotate',
    summary: 'Lets the next keys sign; what the old ones signed stays valid.',
    flags: {
      ...flags({
        '[--now]': 'the keys were stolen: new ones replace them all, and what they signed is void',
      }),
      ...dryRunFlag,
    },
    details: [
      'The next keys sign as soon as every verifier has had the time to see them in the key set, which is at once\n' +
        'when they are five minutes old. The old ones stay in the key set until the last token they signed has expired.',
    ],
    asks: (input) =>
      input.has('now')
        ? { says: 'This makes every token that is out void: all callers need new ones.', name: 'keys' }
        : undefined,
    async run(input, { api, now }) {
      const isEmergency = input.has('now');
      const { body } = await api.call('rotateKeys', {
        body: isEmergency ? { now: true } : {},
        isDryRun: input.has('dry-run'),
      });
      const { signsFrom, keys } = body as { readonly signsFrom: string; readonly keys: readonly KeyView[] };
      const from = Date.parse(signsFrom) > now() ? `from ${signsFrom}` : 'now';
      const said = input.has('dry-run') ? `The next keys would sign ${from}.` : `The next keys sign ${from}.`;
      const isVoid = isEmergency && !input.has('dry-run');
      return {
        text: isVoid ? `${said} Everything that was signed before is void.` : said,
        json: { signsFrom, keys: inOrder(keys) },
      };
    },
  },
];

function inOrder(keys: readonly KeyView[]): readonly KeyView[] {
  const place = ({ state, alg }: KeyView) => states.indexOf(state) * 10 + algorithms.indexOf(alg);
  return [...keys].sort((one, other) => place(one) - place(other));
}

function describeTimes({ createdAt, signsFrom, leavesAt }: KeyView): string {
  if (leavesAt !== null) return `leaves at ${leavesAt}`;
  return signsFrom === null ? `in the key set since ${createdAt}` : `signs from ${signsFrom}`;
}
