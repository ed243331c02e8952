import { reasonInWords } from '../../platform/names/network-reason.ts';
import { parseLicence } from '../licence/licence-file.ts';
import type { ApiCaller } from './operations/api-caller.ts';
import { changeFlags, codeOf, conditionsIn } from './operations/changes.ts';
import { type Command, flags } from './runner/command.ts';
import { fields, table, time } from './runner/output.ts';

/** As the API shows it. */
interface LicenceView {
  readonly id: string;
  readonly holder: string;
  readonly edition: string;
  readonly expiresAt: string | null;
  readonly createdAt: string;
}

/** The same, of where it was sent. */
interface DeliveryView {
  readonly id: string;
  readonly licence: string;
  readonly isCurrent: boolean;
  readonly state: string;
  readonly tries: number;
  readonly acknowledgedAt: string | null;
  readonly isKept: boolean | null;
  readonly lastError: string | null;
  readonly nextTryAt: string | null;
}

export const licenceCommands: readonly Command[] = [
  {
    isOnApi: true,
    name: 'licence set',
    summary: 'Keeps a licence and lets the console send it to the dashboard application.',
    flags: { ...flags({ '--file F': 'a JSON file with the licence; - is standard input' }), ...changeFlags },
    details: [
      'The file holds one object: id, holder and edition are text of up to 200 characters; expiresAt, which may be\n' +
        'absent, is a time such as 2030-12-31T23:59:59Z or whole seconds since 1970.',
      'A running console sends it within a second and goes on until it is acknowledged; licence status tells.',
    ],
    async run(input, { api, readSecret, now }) {
      const { expiresAt, ...said } = parseLicence(await readSecret(input.text('file')!), now());
      const isDryRun = input.has('dry-run');
      const { body } = await api.call('putLicence', {
        body: { ...said, ...(expiresAt !== undefined && { expiresAt: time(expiresAt * 1000) }) },
        ...conditionsIn(input),
      });
      const kept = body as LicenceView;
      const text = isDryRun
        ? `Licence ${kept.id} would be kept.`
        : `Licence ${kept.id} is kept. The console sends it to the dashboard application.`;
      return { text, json: kept };
    },
  },
  {
    isOnApi: true,
    name: 'licence show',
    summary: 'Shows the licence.',
    async run(_input, { api }) {
      const licence = await current(api);
      return { text: licence ? describe(licence) : none, json: licence ?? null };
    },
  },
  {
    isOnApi: true,
    name: 'licence status',
    summary: 'Tells where the licence was sent and who has acknowledged it.',
    async run(_input, { api }) {
      const licence = await current(api);
      const { items } = (await api.call('listLicenceDeliveries', { query: { limit: 500 } })).body as {
        readonly items: readonly DeliveryView[];
      };
      const addresses = [...items].sort((one, other) => Number(other.isCurrent) - Number(one.isCurrent));
      const rows = addresses.map((one) => [one.id, one.licence, one.state, String(one.tries), detailOf(one)]);
      return {
        text: licence ? table(['ADDRESS', 'LICENCE', 'STATE', 'TRIES', ''], rows, none) : none,
        json: { licence: licence ?? null, addresses },
      };
    },
  },
  {
    isOnApi: true,
    name: 'licence remove',
    summary: 'Forgets the licence; applications keep what they have until they are started anew.',
    flags: changeFlags,
    asks: () => ({ says: 'This removes the licence.', name: 'licence' }),
    async run(input, { api }) {
      const isDryRun = input.has('dry-run');
      const licence = await current(api);
      // Where there is none, this says so, and the audit trail has it.
      await api.call('deleteLicence', conditionsIn(input));
      const id = licence?.id ?? '';
      if (isDryRun) return { text: `Licence ${id} would be removed.`, json: { id, removed: false } };
      return { text: `Licence ${id} is removed and no longer sent.`, json: { id, removed: true } };
    },
  },
];

const none = 'There is no licence. Set one with npx console licence set --file F';

async function current(api: ApiCaller): Promise<LicenceView | undefined> {
  try {
    return (await api.call('readLicence')).body as LicenceView;
  } catch (error) {
    if (codeOf(error) === 'not_found') return undefined;
    throw error;
  }
}

function describe({ id, holder, edition, expiresAt, createdAt }: LicenceView): string {
  return fields({ id, holder, edition, ends: expiresAt ?? 'never', set: createdAt });
}

function detailOf({ acknowledgedAt, isKept, lastError, nextTryAt, tries, isCurrent }: DeliveryView): string {
  return [
    ...(acknowledgedAt === null ? [] : [`acknowledged at ${acknowledgedAt}`]),
    ...(isKept === false ? ['which keeps one that was signed later'] : []),
    ...(lastError === null ? [] : [`last try: ${meaningOf(lastError)}`]),
    ...(nextTryAt !== null && tries === 0 ? ['not tried yet: is the console running?'] : []),
    ...(isCurrent ? [] : ['no longer svc.mc.app.internalAddress']),
  ].join('; ');
}

const meanings: Readonly<Record<string, string>> = {
  timeout: 'no answer within 5 s (timeout)',
  too_large: 'an answer of more than 1 MiB (too_large)',
  invalid_url: 'an address that the console does not call (invalid_url): npx console doctor says why',
  status_400: 'it refuses the signature or the content (status_400): npx console doctor says why',
  status_404: 'there is no such address there (status_404)',
  status_503: 'it cannot reach the console (status_503)',
};

function meaningOf(reason: string): string {
  return meanings[reason] ?? reasonInWords(reason);
}
