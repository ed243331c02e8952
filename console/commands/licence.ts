import type { Delivery } from '../licence/deliveries.ts';
import { type Licence, parseLicence } from '../licence/licence-file.ts';
import { isSettled } from '../licence/licence-updates.ts';
import type { StoredLicence } from '../licence/licences.ts';
import { type Command, flags } from './runner/command.ts';
import { fields, table, time } from './runner/output.ts';

export const licenceCommands: readonly Command[] = [
  {
    name: 'licence set',
    summary: 'Keeps a licence and lets the console send it to the dashboard application.',
    flags: flags({
      '--file F': 'a JSON file with the licence; - is standard input',
    }),
    details: [
      'The file holds one object: id, holder and edition are text of up to 200 characters; expiresAt, which may be\n' +
        'absent, is a time such as 2030-12-31T23:59:59Z or whole seconds since 1970.',
      'A running console sends it within a second and goes on until it is acknowledged; licence status tells.',
    ],
    event: 'licence.set',
    async run(input, { services, readSecret, now }) {
      const licence = parseLicence(await readSecret(input.text('file')!), now());
      const { licences, settings } = await services();
      const { after: stored } = await licences.set(licence);
      return {
        text: `Licence ${stored.id} is kept. The console sends it to ${settings.applicationInternalAddress}.`,
        json: viewOf(stored),
        target: stored.id,
      };
    },
  },
  {
    name: 'licence show',
    summary: 'Shows the licence.',
    async run(_input, { services }) {
      const stored = (await services()).licences.current();
      return { text: stored ? describe(stored) : none, json: stored ? viewOf(stored) : null };
    },
  },
  {
    name: 'licence status',
    summary: 'Tells where the licence was sent and who has acknowledged it.',
    async run(_input, { services, now }) {
      const { licences, licenceDeliveries } = await services();
      const current = await licenceDeliveries.current();
      const views = (await licenceDeliveries.all()).map((delivery) => deliveryView(delivery, current, now()));
      const rows = views.map(({ address, licence, state, tries, detail }) => [
        address,
        licence,
        state,
        String(tries),
        detail,
      ]);
      const stored = licences.current();
      return {
        text: stored ? table(['ADDRESS', 'LICENCE', 'STATE', 'TRIES', ''], rows, none) : none,
        json: {
          licence: stored ? viewOf(stored) : null,
          addresses: views.map(({ detail, ...view }) => view),
        },
      };
    },
  },
  {
    name: 'licence remove',
    summary: 'Forgets the licence; applications keep what they have until they are started anew.',
    asks: () => 'This removes the licence.',
    event: 'licence.removed',
    async run(_input, { services }) {
      const { licences, licenceDeliveries } = await services();
      const { id } = await licences.remove();
      await licenceDeliveries.forget();
      return { text: `Licence ${id} is removed and no longer sent.`, json: { removed: id }, target: id };
    },
  },
];

const none = 'There is no licence. Set one with npx console licence set --file F';

function viewOf({ id, holder, edition, expiresAt, setAt }: StoredLicence) {
  return { id, holder, edition, expiresAt: endOf({ expiresAt }), setAt: time(setAt) };
}

function describe(stored: StoredLicence): string {
  const { id, holder, edition, expiresAt, setAt } = viewOf(stored);
  return fields({ id, holder, edition, ends: expiresAt ?? 'never', set: setAt });
}

function endOf({ expiresAt }: Pick<Licence, 'expiresAt'> | { expiresAt: undefined }): string | null {
  return expiresAt === undefined ? null : time(expiresAt * 1000);
}

function deliveryView(delivery: Delivery, current: Delivery | undefined, now: number) {
  const { address, licenceId, tries, acknowledgedAt, isKept, reason, dueAt } = delivery;
  const isCurrent = address === current?.address;
  const state = isSettled(delivery) ? 'acknowledged' : isCurrent ? 'waiting' : 'given up';
  const willTry = isCurrent && state === 'waiting';
  return {
    address,
    licence: licenceId,
    isCurrent,
    state,
    tries,
    acknowledgedAt: acknowledgedAt === undefined ? null : time(acknowledgedAt),
    isKept: isKept ?? null,
    lastError: reason ?? null,
    nextTryAt: willTry ? time(Math.max(dueAt, now)) : null,
    detail: [
      ...(acknowledgedAt === undefined ? [] : [`acknowledged at ${time(acknowledgedAt)}`]),
      ...(isKept === false ? ['which keeps one that was signed later'] : []),
      ...(reason === undefined ? [] : [`last try: ${meaningOf(reason)}`]),
      ...(willTry && tries === 0 ? ['not tried yet: is the console running?'] : []),
      ...(isCurrent ? [] : ['no longer svc.mc.app.internalAddress']),
    ].join('; '),
  };
}

const meanings: Readonly<Record<string, string>> = {
  connection_refused: 'nobody listens there (connection_refused)',
  connection_failed: 'the connection failed (connection_failed)',
  name_not_resolved: 'the name is not known (name_not_resolved)',
  tls_failed: 'its certificate is not accepted (tls_failed)',
  timeout: 'no answer within 5 s (timeout)',
  too_large: 'an answer of more than 1 MiB (too_large)',
  invalid_url: 'an address that the console does not call (invalid_url): npx console doctor says why',
  unexpected_answer: 'something else answers there (unexpected_answer)',
  status_400: 'it refuses the signature or the content (status_400): npx console doctor says why',
  status_404: 'there is no such address there (status_404)',
  status_503: 'it cannot reach the console (status_503)',
};

function meaningOf(reason: string): string {
  return meanings[reason] ?? `it answered otherwise (${reason})`;
}
