/** `/cluster/queues`: queues by their names, what is offered to them, and what is taken away. */

import { randomUUID } from 'node:crypto';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { ShownDrain } from '../../../views/management/cluster/drains.tsx';
import {
  isCounted,
  type KnownQueue,
  type QueueModel,
  queueParts,
  renderQueue,
  type ShownQueue,
  type TakenItem,
} from '../../../views/management/cluster/queues.tsx';
import {
  drainHref,
  type ListedQueue,
  renderQueues,
  structureHref,
} from '../../../views/management/cluster/structures.tsx';
import { jobHref } from '../../../views/management/observe/jobs/job-address.ts';
import { asSentence, type Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Form } from '../../http/form.ts';
import type { Act, Acts } from '../acts.ts';
import { listed } from '../listed-pages.ts';
import { filtersOf, type ListAnswer, placesOf, sortedQueryOf, sortingOf } from '../lists.ts';
import type { Parts } from '../live/parts.ts';
import { fieldErrorsOf, type PageContext, type PageTools } from '../page-tools.ts';
import { numbersShown } from '../plots.ts';
import { asPart, isAway } from '../read-part.ts';
import { firstItem } from './first-calls.ts';
import { pinNotice, pinned } from './pinning.ts';
import { createQueueSizesShown } from './queue-sizes.ts';
import { givenValue, isBrokenJson, openValue, type StoredValue, shownValue, typedValue } from './values.ts';

const listHref = '/cluster/queues';
/** Of one job. */
const mostItems = 100_000;

/**
 * @param origin  of this console
 * @param now     epoch milliseconds
 */
export function createQueuePages(tools: PageTools, acts: Acts, origin: string, now: () => number) {
  const sizes = createQueueSizesShown(now);
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const name = form.get('open')?.trim();
      if (name) return tools.goTo(ctx, structureHref('queue', name));
      const asked = sortedQueryOf(form, listed.queues);
      const { body } = await tools.run<ListAnswer<ListedQueue>>(ctx, 'listQueues', { query: asked });
      const may = await tools.mayRun(ctx, ['offerToQueue']);
      const html = renderQueues({
        frame: await tools.frame(ctx),
        queues: body.items,
        firstSnippets: may.has('offerToQueue') ? firstItem(origin, t) : undefined,
        filters: filtersOf(listHref, asked, t('structures.beginningOfName'), [], t),
        sorting: sortingOf(listed.queues, asked),
        ...placesOf(listHref, asked, body),
      });
      tools.send(ctx, html);
    },
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const queue = form.has('do') ? await find(ctx) : await findKnown(ctx);
      const act = isCounted(queue) ? actsOf(queue, t).get(form.get('do') ?? '') : undefined;
      if (act) return acts.ask(ctx, act, placeOf(queue, t), { queue: queue.id });
      const notice = form.get('done') === 'offered' ? t('queues.offered') : pinNotice(ctx);
      await showQueue(ctx, queue, { notice });
    },
    /** What goes on while its page is open. */
    async parts(ctx: PageContext): Promise<Parts> {
      await tools.check(ctx, 'readQueue');
      const id = String(ctx.params.queue);
      const [size, numbers] = await Promise.all([
        sizes.of(id, async () => (await asPart(() => read(ctx)))?.size),
        numbersShown(ctx, tools, `queue:${id}`, now),
      ]);
      return queueParts({ frame: tools.reader(ctx), size, numbers });
    },
    /** `POST /cluster/queues/:queue`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const known = await findKnown(ctx);
      if (await pinned(ctx, tools, 'queue', known.id)) return;
      if (form.get('do') === 'offer') return offer(ctx, known);
      const queue = isCounted(known) ? known : await find(ctx);
      const act = actsOf(queue, t).get(form.get('do') ?? '');
      if (!act) return tools.goTo(ctx, structureHref('queue', queue.id));
      const answer = await acts.perform<Taken | ShownDrain>(ctx, act, placeOf(queue, t), { queue: queue.id });
      if (!answer) return;
      if ('item' in answer.body) await showTaken(ctx, answer.body);
      else await showJob(ctx, answer.body);
    },
  };

  /** @throws {ProblemError} unless a member says how many items are in it */
  async function find(ctx: PageContext): Promise<ShownQueue> {
    const queue = await read(ctx);
    sizes.record(queue.id, queue.size);
    return queue;
  }

  /** With what is known of it, where no member answers. */
  async function findKnown(ctx: PageContext): Promise<KnownQueue> {
    try {
      return await find(ctx);
    } catch (error) {
      if (!isAway(error)) throw error;
      const id = String(ctx.params.queue);
      const { body } = await tools.run<ListAnswer<ListedQueue>>(ctx, 'listQueues', { query: { q: id } });
      const listed = body.items.find((each) => each.id === id);
      const { sources, lastCallOn } = listed ?? { sources: [], lastCallOn: null };
      return { id, sources, lastCallOn, size: { notRead: asSentence(error.message) } };
    }
  }

  async function read(ctx: PageContext): Promise<ShownQueue> {
    const params = { queue: String(ctx.params.queue) };
    return (await tools.run<ShownQueue>(ctx, 'readQueue', { params })).body;
  }

  async function offer(ctx: PageContext, queue: KnownQueue): Promise<void> {
    const t = textFor(ctx);
    const { form } = ctx.state;
    const typed = typedValue(form);
    if (isBrokenJson(typed)) {
      const errors = [{ field: 'value', text: t('values.notJson') }];
      return showQueue(ctx, queue, { typed, errors });
    }
    try {
      const request = { params: { queue: queue.id }, body: givenValue(typed) };
      const idempotencyKey = form.get('idempotencyKey') ?? '';
      await tools.run(ctx, 'offerToQueue', { ...request, idempotencyKey });
    } catch (error) {
      return showQueue(ctx, queue, { typed, errors: fieldErrorsOf(error, fieldOf, t) });
    }
    tools.goTo(ctx, `${structureHref('queue', queue.id)}?done=offered`);
  }

  /** A page of jobs goes on by itself; who may not open it, or need not wait, has that of the file. */
  async function showJob(ctx: PageContext, { queue, id }: ShownDrain): Promise<void> {
    const asked = { params: { queue, drain: id }, waitSeconds: 1 };
    const { body } = await tools.run<ShownDrain>(ctx, 'readQueueDrain', asked);
    const isFollowed = body.endedAt === null && (await tools.mayRun(ctx, ['readJob'])).has('readJob');
    tools.goTo(ctx, isFollowed ? jobHref(id) : drainHref(queue, id));
  }

  /** Not at an address that could be opened again: what was taken is on this page alone. */
  async function showTaken(ctx: PageContext, { item }: Taken): Promise<void> {
    const notice = item === null ? textFor(ctx)('queues.nothingTaken') : undefined;
    await showQueue(ctx, await findKnown(ctx), { notice, taken: item === null ? [] : [takenItem(item)] });
  }

  async function showQueue(ctx: PageContext, queue: KnownQueue, shown: Partial<QueueModel>): Promise<void> {
    const may = await tools.mayRun(ctx, ['offerToQueue', 'pollQueue']);
    const asked = { params: { queue: queue.id }, query: { limit: '10' } };
    const { body } = await tools.run<ListAnswer<ShownDrain>>(ctx, 'listQueueDrains', asked);
    const html = renderQueue({
      frame: await tools.frame(ctx),
      queue,
      drains: body.items,
      typed: { value: '', encoding: 'text', type: 'text/plain' },
      errors: [],
      csrf: tools.csrf(ctx),
      idempotencyKey: randomUUID(),
      mayOffer: may.has('offerToQueue'),
      mayTake: may.has('pollQueue'),
      numbers: await numbersShown(ctx, tools, `queue:${queue.id}`, now),
      ...shown,
    });
    tools.send(ctx, html, shown.errors?.length ? 400 : 200);
  }
}

interface Taken {
  readonly item: StoredValue | null;
}

function takenItem(stored: StoredValue): TakenItem {
  const { type, bytes, value } = stored;
  const opened = openValue(stored);
  const shown = shownValue(opened, undefined);
  // A drawing that is nowhere any more has no address of its own.
  const { text, isCut } = shown.form === 'image' ? shownValue(opened, 'hex') : shown;
  return { type, bytes, value, text, isCut };
}

function fieldOf(pointer: string): string | undefined {
  const name = pointer.slice(2);
  return ['value', 'type'].includes(name) ? name : undefined;
}

function placeOf({ id }: Pick<ShownQueue, 'id'>, t: Translate) {
  const href = structureHref('queue', id);
  return {
    path: [
      { title: t('common.queues'), href: listHref },
      { title: id, href },
    ],
    href,
  };
}

/** As people write it, with thousands set apart or not. @throws {ProblemError} `invalid_request` */
function mostIn(form: Form, t: Translate): number {
  const text = form.get('most')?.trim() ?? '';
  const isNumber = /^(?:\d{1,6}|\d{1,3}(?:[., ’\u00a0\u202f]\d{3})+)$/.test(text);
  const most = isNumber ? Number(text.replaceAll(/\D/g, '')) : 0;
  if (most >= 1 && most <= mostItems) return most;
  const detail = t('drains.notANumber');
  throw new ProblemError(problems.invalidRequest, detail, {
    members: { errors: [{ pointer: '#/most', code: 'invalid_value', detail }] },
  });
}

function actsOf({ id, size }: ShownQueue, t: Translate): ReadonlyMap<string, Act> {
  const now = t('queues.itemsInIt', { n: size });
  const acts: readonly Act[] = [
    {
      name: 'poll',
      operation: 'pollQueue',
      title: t('queues.pollOf', { id }),
      effects: [t('queues.firstTaken', { id, now }), t('queues.canBeOfferedAgain')],
      button: t('queues.poll'),
      isMaking: true,
    },
    {
      name: 'drain',
      operation: 'startQueueDrain',
      title: t('queues.drainOf', { id }),
      effects: [t('queues.manyTaken', { now }), t('drains.intoFile'), t('drains.fetchIt')],
      button: t('drains.button'),
      isDangerous: true,
      isMaking: true,
      typedName: id,
      texts: [
        {
          name: 'most',
          label: t('drains.most'),
          hint: t('drains.mostHint'),
          value: String(Math.min(Math.max(size, 1), mostItems)),
          isRequired: true,
        },
      ],
      requestOf: (form) => ({ body: { most: mostIn(form, t) } }),
    },
  ];
  return new Map(acts.map((act) => [act.name, act]));
}
