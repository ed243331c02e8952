/** `/cluster/maps/:map/readings/:reading`: entries of many keys, read by a job, for whoever has asked for it. */
import { randomUUID } from 'node:crypto';
import {
  type ListedReading,
  readingParts,
  renderReading,
  type ShownReading,
} from '../../../views/management/cluster/readings.tsx';
import { readingHref } from '../../../views/management/cluster/structures.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { ListAnswer } from '../lists.ts';
import type { Parts } from '../live/parts.ts';
import { fieldErrorsOf, type PageContext, type PageTools } from '../page-tools.ts';

/** Of what could not be taken, so many keys are named. */
const mostNamed = 3;
const longestName = 60;

export function createReadingPages(tools: PageTools) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const html = renderReading({
        frame: await tools.frame(ctx),
        reading: await find(ctx),
        csrf: tools.csrf(ctx),
        notice: ctx.state.form.get('done') === 'stop' ? textFor(ctx)('readings.stopping') : undefined,
      });
      tools.send(ctx, html);
    },
    /** What goes on while the page is open. */
    async parts(ctx: PageContext): Promise<Parts> {
      return readingParts({ frame: tools.reader(ctx), reading: await find(ctx) });
    },
    /** `POST`: stops it. */
    async change(ctx: PageContext): Promise<void> {
      const reading = await find(ctx);
      const href = readingHref(reading.map, reading.id);
      if (ctx.state.form.get('do') !== 'stop') return tools.goTo(ctx, href);
      // One that has ended meanwhile needs no end.
      if (reading.endedAt === null) await tools.run(ctx, 'stopMapReading', { params: paramsOf(ctx) });
      tools.goTo(ctx, `${href}?done=stop`);
    },
  };

  async function find(ctx: PageContext): Promise<ShownReading> {
    return (await tools.run<ShownReading>(ctx, 'readMapReading', { params: paramsOf(ctx) })).body;
  }
}

/** For the page of a map. */
export function createMapReadings(tools: PageTools) {
  return {
    /** What the form and the list of the page are made of. */
    async state(ctx: PageContext, map: string) {
      const request = { params: { map }, query: { limit: '10' } };
      const { body } = await tools.run<ListAnswer<ListedReading>>(ctx, 'listMapReadings', request);
      return { readings: body.items, idempotencyKey: randomUUID() };
    },
    /** Begins it and leads to its page. @returns why it was not begun */
    async begin(ctx: PageContext, map: string, keys: readonly string[]): Promise<string | undefined> {
      const t = textFor(ctx);
      const idempotencyKey = ctx.state.form.get('idempotencyKey');
      try {
        const request = { params: { map }, body: { keys }, idempotencyKey };
        // What is quick is over by the time that its page is shown.
        const { body } = await tools.run<ShownReading>(ctx, 'startMapReading', {
          ...request,
          waitSeconds: 1,
        });
        tools.goTo(ctx, readingHref(map, body.id));
        return undefined;
      } catch (error) {
        return fieldErrorsOf(error, (pointer) => pointer, t)
          .slice(0, mostNamed)
          .map(({ field, text }) => keyProblem(field, keys, t) ?? text)
          .join(' ');
      }
    },
  };
}

/** @returns undefined where it is about no key */
function keyProblem(pointer: string | undefined, keys: readonly string[], t: Translate): string | undefined {
  const [, at] = /^#\/keys\/(\d+)/.exec(pointer ?? '') ?? [];
  const key = at === undefined ? undefined : keys[Number(at)];
  if (key === undefined) return undefined;
  const letters = [...key];
  const shown = letters.length > longestName ? `${letters.slice(0, longestName).join('')}…` : key;
  return t('readings.noKey', { key: shown });
}

function paramsOf({ params }: PageContext) {
  return { map: String(params.map), reading: String(params.reading) };
}
