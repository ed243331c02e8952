import type { Services } from '../app/services.ts';
import type { PublishedKey } from '../keys/keys.ts';
import { type Command, flags } from './runner/command.ts';
import { table, time } from './runner/output.ts';

export const keyCommands: readonly Command[] = [
  {
    name: 'keys list',
    summary: 'Lists the signing keys of the key set.',
    async run(_input, { services }) {
      const keys = await publishedKeys(await services());
      const rows = keys.map(viewOf).map((key) => [key.id, key.alg, key.state, describeTimes(key)]);
      return {
        text: table(
          ['ID', 'ALGORITHM', 'STATE', ''],
          rows,
          'There is no key yet: the first start makes them.',
        ),
        json: keys.map(viewOf),
      };
    },
  },
  {
    name: 'keys rotate',
    summary: 'Lets the next keys sign; what the old ones signed stays valid.',
    flags: flags({
      '[--now]': 'the keys were stolen: new ones replace them all, and what they signed is void',
    }),
    details: [
      'The next keys sign as soon as every verifier has had the time to see them in the key set, which is at once\n' +
        'when they are five minutes old. The old ones stay in the key set until the last token they signed has expired.',
    ],
    asks: (input) =>
      input.has('now') ? 'This makes every token that is out void: all callers need new ones.' : undefined,
    event: 'keys.rotated',
    async run(input, { services, now }) {
      const { keys } = await services();
      const isEmergency = input.has('now');
      // Opens the keys that are there: without their encryption key the new ones would lie in plaintext (S79).
      await keys.prepare();
      const from = await keys.rotate({ isEmergency });
      const said = from > now() ? `The next keys sign from ${time(from)}.` : 'The next keys sign now.';
      return {
        text: isEmergency ? `${said} Everything that was signed before is void.` : said,
        json: { signsFrom: time(from), keys: keys.published().map(viewOf) },
        target: isEmergency ? 'emergency' : 'regular',
      };
    },
  },
];

/** A store that no console has used yet has none, and looking at it makes none. */
async function publishedKeys({ keys, storage }: Services): Promise<readonly PublishedKey[]> {
  if (storage.registry.all('keys').size === 0) return [];
  await keys.prepare();
  return keys.published();
}

function viewOf({ key, state, record }: PublishedKey) {
  const orNull = (at: number | undefined) => (at === undefined ? null : time(at));
  return {
    id: key.kid,
    alg: key.alg,
    state,
    publishedAt: time(record.publishedAt),
    signsFrom: orNull(record.signsFrom),
    signsUntil: orNull(record.signsUntil),
    retiresAt: orNull(record.retiresAt),
  };
}

function describeTimes({ publishedAt, signsFrom, retiresAt }: ReturnType<typeof viewOf>): string {
  if (retiresAt) return `leaves at ${retiresAt}`;
  return signsFrom ? `signs from ${signsFrom}` : `in the key set since ${publishedAt}`;
}
