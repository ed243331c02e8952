/** `/cluster/maps`: maps by their names, and entries by their keys. */

import { numbersParts } from '../../../views/management/calls-part.tsx';
import { entryHref } from '../../../views/management/cluster/found-entries.tsx';
import { type MapModel, renderMap } from '../../../views/management/cluster/maps.tsx';
import {
  type ListedMap,
  renderMaps,
  type ShownMap,
  structureHref,
} from '../../../views/management/cluster/structures.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, Acts } from '../acts.ts';
import { listed } from '../listed-pages.ts';
import { filtersOf, type ListAnswer, placesOf, sortedQueryOf, sortingOf } from '../lists.ts';
import type { Parts } from '../live/parts.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { numbersShown } from '../plots.ts';
import { firstEntry } from './first-calls.ts';
import { createFindEntries, isForJob, keysIn, keysText, mostKeys } from './map-keys.ts';
import { pinNotice, pinned } from './pinning.ts';
import { createMapReadings } from './readings.ts';
import type { EntryMemories } from './remembered/entry-memories.ts';

const listHref = '/cluster/maps';

interface MapPagesTerms {
  /** Of this console. */
  readonly origin: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly entryMemories: EntryMemories;
}

export function createMapPages(tools: PageTools, acts: Acts, { origin, now, entryMemories }: MapPagesTerms) {
  const findEntries = createFindEntries(tools);
  const readings = createMapReadings(tools);
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const name = form.get('open')?.trim();
      if (name) return tools.goTo(ctx, structureHref('map', name));
      const asked = sortedQueryOf(form, listed.maps);
      const { body } = await tools.run<ListAnswer<ListedMap>>(ctx, 'listMaps', { query: asked });
      const may = await tools.mayRun(ctx, ['putMapEntry']);
      const html = renderMaps({
        frame: await tools.frame(ctx),
        maps: body.items,
        firstSnippets: may.has('putMapEntry') ? firstEntry(origin, t) : undefined,
        filters: filtersOf(listHref, asked, t('structures.beginningOfName'), [], t),
        sorting: sortingOf(listed.maps, asked),
        ...placesOf(listHref, asked, body),
      });
      tools.send(ctx, html);
    },
    /** One map, with the entries of the keys that were asked for. */
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const map = await findMap(ctx);
      if (form.get('do') === 'clear')
        return acts.ask(ctx, clearing(map.id, t), mapPlace(map.id, t), { map: map.id });
      const keys = keysIn(form.get('keys') ?? '');
      if (keys?.length === 1) return tools.goTo(ctx, entryHref(map.id, keys[0]!));
      // An address begins no job: what is too much for it waits in the form.
      const isRead = keys !== undefined && keys.length > 0 && !isForJob(keys);
      await showMap(ctx, map, {
        keysToFind: isRead ? keys : undefined,
        problem: keys === undefined ? t('maps.tooManyKeys', { n: mostKeys }) : undefined,
        notice: form.get('done') === 'cleared' ? t('maps.cleared') : pinNotice(ctx),
      });
    },
    /** What goes on while its page is open: of its history alone. */
    async parts(ctx: PageContext): Promise<Parts> {
      await tools.check(ctx, 'readMap');
      const numbers = await numbersShown(ctx, tools, `map:${String(ctx.params.map)}`, now);
      return numbersParts(tools.reader(ctx), numbers);
    },
    /** `POST /cluster/maps/:map`: reads keys, or clears it. */
    async change(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const map = await findMap(ctx);
      const { id } = map;
      if (ctx.state.form.get('do') === 'get') return get(ctx, map);
      if (await pinned(ctx, tools, 'map', id)) return;
      if (ctx.state.form.get('do') !== 'clear') return tools.goTo(ctx, structureHref('map', id));
      const done = await acts.perform(ctx, clearing(id, t), mapPlace(id, t), { map: id });
      if (done) tools.goTo(ctx, `${structureHref('map', id)}?done=cleared`);
    },
  };

  /** What is found at once has an address; the rest is a job. */
  async function get(ctx: PageContext, map: ShownMap): Promise<void> {
    const t = textFor(ctx);
    const typed = ctx.state.form.get('keys') ?? '';
    const keys = keysIn(typed);
    if (keys === undefined) return showMap(ctx, map, { problem: t('maps.tooManyKeys', { n: mostKeys }) });
    if (keys.length === 0) return showMap(ctx, map, { problem: t('readings.noKeys') });
    if (keys.length === 1) return tools.goTo(ctx, entryHref(map.id, keys[0]!));
    if (!isForJob(keys)) {
      const query = new URLSearchParams({ keys: keysText(typed, keys) });
      return tools.goTo(ctx, `${structureHref('map', map.id)}?${query}#entries`);
    }
    const problem = await readings.begin(ctx, map.id, keys);
    if (problem !== undefined) await showMap(ctx, map, { problem });
  }

  async function showMap(
    ctx: PageContext,
    map: ShownMap,
    { keysToFind, ...shown }: Partial<MapModel> & { readonly keysToFind?: readonly string[] | undefined },
  ): Promise<void> {
    const may = await tools.mayRun(ctx, ['clearMap']);
    const html = renderMap({
      frame: await tools.frame(ctx),
      map,
      mayChange: may.has('clearMap'),
      csrf: tools.csrf(ctx),
      ...(await readings.state(ctx, map.id)),
      opened: await entryMemories.openedKeys(ctx.state.current.uid, map.id),
      numbers: await numbersShown(ctx, tools, `map:${map.id}`, now),
      keys: ctx.state.form.get('keys') ?? '',
      ...shown,
      // Last: these may take all the calls that the person has in a second, and wait for more. Nothing else here does.
      found: keysToFind && (await findEntries(ctx, map.id, keysToFind)),
    });
    tools.send(ctx, html, shown.problem === undefined ? 200 : 400);
  }

  async function findMap(ctx: PageContext): Promise<ShownMap> {
    const { map } = ctx.params;
    const { body } = await tools.run<ShownMap>(ctx, 'readMap', { params: { map: String(map) } });
    return body;
  }
}

/** For its pages, and below it for those of its entries. */
export function mapPlace(map: string, t: Translate) {
  const href = structureHref('map', map);
  return {
    path: [
      { title: t('common.maps'), href: listHref },
      { title: map, href },
    ],
    href,
  };
}

function clearing(map: string, t: Translate): Act {
  return {
    name: 'clear',
    operation: 'clearMap',
    title: t('maps.clearOf', { map }),
    effects: [t('maps.everyEntryRemoved', { map }), t('maps.backupFirst')],
    button: t('maps.clearMap'),
    isDangerous: true,
    typedName: map,
  };
}
