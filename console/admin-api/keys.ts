/** `/api/v1/keys`: the signing keys of the key set, as `npx console keys` shows and rotates them. */
import { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Keys, PublishedKey } from '../keys/keys.ts';
import { type AccessCheckDeps, checkAccess } from '../operations/access-check.ts';
import { changesBetween } from '../operations/changes.ts';
import { type Cursors, listOf, listQuery, pageOf } from '../operations/lists.ts';
import { type Operation, operation } from '../operations/operation.ts';
import { dateTime, view } from '../operations/resource-fields.ts';

export interface KeyNeeds {
  readonly keys: Pick<Keys, 'load' | 'prepare' | 'published' | 'rotate'>;
  readonly cursors: Cursors;
  readonly roles: { permissionsOf: AccessCheckDeps['permissionsOf'] };
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const keyId = z.string().regex(/^[\w-]{1,64}$/);
const keyView = view({
  id: keyId.meta({ description: '`kid` in the key set and in what it has signed.' }),
  alg: z.string().meta({ example: 'ES256' }),
  use: z.literal('sig'),
  state: z.enum(['next', 'current', 'retired']).meta({
    description: 'It waits to sign; signs; or only verifies until the last token that it signed has expired.',
  }),
  createdAt: dateTime.meta({ description: 'Since when the key set shows it.' }),
  signsFrom: dateTime.nullable(),
  signsUntil: dateTime.nullable(),
  leavesAt: dateTime.nullable().meta({ description: 'When it leaves the key set.' }),
}).meta({ id: 'Key' });
const rotation = view({ signsFrom: dateTime, keys: z.array(keyView) }).meta({ id: 'KeyRotation' });

export const keyOperations: readonly Operation<KeyNeeds>[] = [
  operation({
    id: 'listKeys',
    method: 'GET',
    path: '/keys',
    summary: 'Lists the signing keys of the key set.',
    access: 'read',
    query: listQuery({}),
    answer: listOf(keyView),
    async run({ query }, { keys, cursors }: KeyNeeds) {
      return { body: pageOf('listKeys', publishedBy(keys), query, cursors) };
    },
  }),
  operation({
    id: 'readKey',
    method: 'GET',
    path: '/keys/{key}',
    summary: 'Shows a signing key, without what is private of it.',
    access: 'read',
    params: z.strictObject({ key: keyId }),
    answer: keyView,
    async run({ params: { key: id } }, { keys }: KeyNeeds) {
      const found = publishedBy(keys).find((key) => key.id === id);
      if (!found) throw new ProblemError(problems.notFound, 'The key set has no key of this id.');
      return { body: found };
    },
  }),
  operation({
    id: 'rotateKeys',
    method: 'POST',
    path: '/keys/rotate',
    summary: 'Lets the next keys sign; what the old ones signed stays valid.',
    description:
      'The next keys sign as soon as every verifier has had the time to see them. With `now` new keys replace them all at once, and everything that was signed before is void: this is dangerous, and wants a recent sign-in, or a scope that names the object.',
    access: 'write',
    event: 'keys.rotated',
    body: z.strictObject({
      now: z
        .boolean()
        .exactOptional()
        .meta({ description: 'true: the keys were stolen, and every token that is out is void.' }),
    }),
    answer: rotation,
    async run({ body: { now: isEmergency = false }, actor }, { keys, roles, now }: KeyNeeds) {
      const asked = { object: 'keys', access: 'write', isDangerous: isEmergency } as const;
      checkAccess(asked, actor, { permissionsOf: roles.permissionsOf, now });
      // Opens the keys that are there: without their encryption key the new ones would lie in plaintext (S79).
      await keys.prepare();
      const before = publishedBy(keys);
      const from = await keys.rotate({ isEmergency });
      const after = publishedBy(keys);
      const [current, next] = [before, after].map(currentOf);
      return {
        body: { signsFrom: at(from), keys: after },
        target: isEmergency ? 'emergency' : 'regular',
        changes: changesBetween({ current }, { current: next, signsFrom: at(from) }),
      };
    },
  }),
];

/** A store that no console has used yet has none, and looking at it makes none. */
function publishedBy(keys: Pick<Keys, 'load' | 'published'>) {
  keys.load();
  return keys
    .published()
    .map(viewOf)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

const states = { signing: 'current', next: 'next', retired: 'retired' } as const;

function viewOf({ key, state, record }: PublishedKey) {
  return {
    id: key.kid,
    alg: key.alg,
    use: 'sig',
    state: states[state],
    createdAt: at(record.publishedAt),
    signsFrom: orNull(record.signsFrom),
    signsUntil: orNull(record.signsUntil),
    leavesAt: orNull(record.retiresAt),
  };
}

function currentOf(all: readonly ReturnType<typeof viewOf>[]): readonly string[] {
  return all.filter(({ state }) => state === 'current').map(({ id }) => id);
}

function at(ms: number): string {
  return new Date(ms).toISOString();
}

function orNull(ms: number | undefined): string | null {
  return ms === undefined ? null : at(ms);
}
