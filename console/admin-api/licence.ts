/** `/api/v1/licence`: the licence of the dashboard, and whom it has reached, as `npx console licence` has it. */
import { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Deliveries, Delivery } from '../licence/deliveries.ts';
import { parseLicence } from '../licence/licence-file.ts';
import { isSettled } from '../licence/licence-updates.ts';
import type { Licences, StoredLicence } from '../licence/licences.ts';
import { changesBetween } from '../operations/changes.ts';
import { type Cursors, listOf, listQuery, pageOf } from '../operations/lists.ts';
import { type Answer, type Operation, operation } from '../operations/operation.ts';
import { dateTime, view } from '../operations/resource-fields.ts';
import { versionOf } from '../storage/record-version.ts';

export interface LicenceNeeds {
  readonly licences: Pick<Licences, 'current' | 'set' | 'remove'>;
  readonly licenceDeliveries: Pick<Deliveries, 'all' | 'current' | 'forget'>;
  readonly cursors: Cursors;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const text = z.string().min(1).max(200);
const delivery = view({
  id: z.string().meta({ description: 'Where it was sent: the internal address of the dashboard.' }),
  licence: text.meta({ description: 'The id of the one that was sent.' }),
  isCurrent: z.boolean().meta({ description: 'Whether it is where the dashboard is now.' }),
  state: z.enum(['waiting', 'acknowledged', 'given-up']),
  tries: z.number().int(),
  acknowledgedAt: dateTime.nullable(),
  isKept: z.boolean().nullable().meta({ description: 'false: it keeps one that was signed later.' }),
  lastError: z.string().nullable(),
  nextTryAt: dateTime.nullable(),
}).meta({ id: 'LicenceDelivery' });
const licenceView = view({
  id: text,
  holder: text,
  edition: text,
  expiresAt: dateTime.nullable().meta({ description: 'Null: it does not end.' }),
  createdAt: dateTime.meta({ description: 'When it was set.' }),
}).meta({ id: 'Licence' });

export const licenceOperations: readonly Operation<LicenceNeeds>[] = [
  operation({
    id: 'readLicence',
    method: 'GET',
    path: '/licence',
    summary: 'Shows the licence.',
    access: 'read',
    answer: licenceView,
    problems: [404],
    async run(_call, needs: LicenceNeeds) {
      const stored = needs.licences.current();
      if (!stored) throw new ProblemError(problems.notFound, 'There is no licence.');
      return shown(stored);
    },
  }),
  operation({
    id: 'listLicenceDeliveries',
    method: 'GET',
    path: '/licence/deliveries',
    summary: 'Lists where the licence was sent in the last 30 days, and who has acknowledged it.',
    access: 'read',
    query: listQuery({}),
    answer: listOf(delivery),
    async run({ query }, { licenceDeliveries, cursors, now }: LicenceNeeds) {
      const current = await licenceDeliveries.current();
      const all = (await licenceDeliveries.all()).map((one) => deliveryView(one, current, now()));
      const byId = all.sort((one, other) => (one.id < other.id ? -1 : 1));
      return { body: pageOf('listLicenceDeliveries', byId, query, cursors) };
    },
  }),
  operation({
    id: 'putLicence',
    method: 'PUT',
    path: '/licence',
    summary: 'Keeps a licence in the place of the one before, and sends it to the dashboard.',
    access: 'write',
    isDangerous: true,
    event: 'licence.set',
    body: z.strictObject({
      id: text.meta({ example: 'lic-2031' }),
      holder: text.meta({ example: 'Orders Ltd' }),
      edition: text.meta({ example: 'team' }),
      expiresAt: dateTime
        .nullable()
        .exactOptional()
        .meta({ description: 'Left out or null: it does not end.' }),
    }),
    answer: licenceView,
    statuses: [200],
    async run({ body: { expiresAt, ...said }, ifMatch, isNew }, needs: LicenceNeeds) {
      const given = { ...said, ...(expiresAt !== undefined && expiresAt !== null && { expiresAt }) };
      const licence = parseLicence(JSON.stringify(given), needs.now());
      const { before, after } = await needs.licences.set(licence, { ifMatch, isNew });
      const changes = changesBetween(before && saidOf(before), saidOf(after));
      return { ...shown(after), changes };
    },
  }),
  operation({
    id: 'deleteLicence',
    method: 'DELETE',
    path: '/licence',
    summary: 'Forgets the licence; dashboards keep what they have until they are started anew.',
    access: 'write',
    isDangerous: true,
    event: 'licence.removed',
    problems: [404],
    async run({ ifMatch }, { licences, licenceDeliveries }: LicenceNeeds) {
      const before = await licences.remove({ ifMatch });
      await licenceDeliveries.forget();
      return { target: before.id, changes: changesBetween(saidOf(before), undefined) };
    },
  }),
];

function shown(stored: StoredLicence): Answer {
  const body = { ...saidOf(stored), createdAt: at(stored.setAt) };
  return { body, version: versionOf(stored), target: stored.id };
}

function saidOf({ id, holder, edition, expiresAt }: StoredLicence) {
  return { id, holder, edition, expiresAt: expiresAt === undefined ? null : at(expiresAt * 1000) };
}

function deliveryView(delivery: Delivery, current: Delivery | undefined, now: number) {
  const { address, licenceId, tries, acknowledgedAt, isKept, reason, dueAt } = delivery;
  const isCurrent = address === current?.address;
  const state = isSettled(delivery) ? 'acknowledged' : isCurrent ? 'waiting' : 'given-up';
  return {
    id: address,
    licence: licenceId,
    isCurrent,
    state,
    tries,
    acknowledgedAt: acknowledgedAt === undefined ? null : at(acknowledgedAt),
    isKept: isKept ?? null,
    lastError: reason ?? null,
    nextTryAt: state === 'waiting' ? at(Math.max(dueAt, now)) : null,
  };
}

function at(ms: number): string {
  return new Date(ms).toISOString();
}
