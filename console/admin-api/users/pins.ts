/** `/api/v1/me/pins`: names of maps and queues that the person who calls has pinned. As a choice of how pages are shown, they leave no entry. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { Pin, Pins } from '../../accounts/pins.ts';
import type { Actor } from '../../operations/actor.ts';
import { listOf } from '../../operations/lists.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { view } from '../../operations/resource-fields.ts';
import { structureName } from '../cluster/member-calls.ts';

export interface PinNeeds {
  readonly pins: Pins;
}

const kinds = z.enum(['maps', 'queues']);
const pinView = view({
  kind: kinds,
  id: structureName,
}).meta({ id: 'Pin' });
const params = z.strictObject({ kind: kinds, name: structureName });
const shared = { access: 'own', params, statuses: [204], problems: [403, 409] } as const;

export const pinOperations: readonly Operation<PinNeeds>[] = [
  operation({
    id: 'listPins',
    method: 'GET',
    path: '/me/pins',
    summary: 'Lists the maps and queues that the person who calls has pinned, in the order of that.',
    access: 'own',
    answer: listOf(pinView),
    async run({ actor: { kind: actorKind, id: actorId } }, { pins }: PinNeeds) {
      const own = actorKind === 'user' ? await pins.of(actorId) : [];
      const items = own.map(({ kind, name }) => ({
        kind: `${kind}s`,
        id: name,
      }));
      return { body: { items, next: null, count: { value: items.length, isExact: true } } };
    },
  }),
  operation({
    ...shared,
    id: 'putPin',
    method: 'PUT',
    path: '/me/pins/{kind}/{name}',
    summary: 'Pins a map or a queue, whether or not there is one: 200 at most. It stands in lists then.',
    async run({ params: asked, actor }, { pins }: PinNeeds) {
      await pins.add(personOf(actor), pinOf(asked));
      return {};
    },
  }),
  operation({
    ...shared,
    id: 'deletePin',
    method: 'DELETE',
    path: '/me/pins/{kind}/{name}',
    summary: 'Unpins it; one that is not pinned stays so.',
    async run({ params: asked, actor }, { pins }: PinNeeds) {
      await pins.remove(personOf(actor), pinOf(asked));
      return {};
    },
  }),
];

function pinOf({ kind, name }: z.infer<typeof params>): Pin {
  return { kind: kind === 'maps' ? 'map' : 'queue', name };
}

/** @throws {ProblemError} `forbidden` */
function personOf({ kind, id }: Actor): string {
  if (kind === 'user') return id;
  throw new ProblemError(problems.forbidden, 'Only people pin something.', { actor: id });
}
