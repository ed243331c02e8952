/** `/cluster/maps`: maps by their names, entries by their keys, and what stands in them. */

import { numbersParts } from '../../../views/management/calls-part.tsx';
import { entryHref } from '../../../views/management/cluster/found-entries.tsx';
import {
  type EntryModel,
  type EntryNotice,
  type MapModel,
  renderMap,
  renderMapEntry,
} from '../../../views/management/cluster/maps.tsx';
import {
  type ListedMap,
  renderMaps,
  type ShownStructure,
  structureHref,
} from '../../../views/management/cluster/structures.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, Acts } from '../acts.ts';
import { listed } from '../listed-pages.ts';
import { filtersOf, type ListAnswer, placesOf, queryOf } from '../lists.ts';
import type { Parts } from '../live/parts.ts';
import { type Answered, fieldErrorsOf, type PageContext, type PageTools } from '../page-tools.ts';
import { numbersShown } from '../plots.ts';
import { createValuePages, fileError, fileErrorsOf, putBytes } from './entry-values.ts';
import { firstEntry } from './first-calls.ts';
import { createFindEntries, isForJob, isNoEntry, keysIn, keysText, mostKeys } from './map-keys.ts';
import { pinNotice, pinned } from './pinning.ts';
import { createMapReadings } from './readings.ts';
import {
  givenValue,
  isBrokenJson,
  isComplete,
  openValue,
  type StoredValue,
  shownValue,
  typedOf,
  typedValue,
} from './values.ts';

const listHref = '/cluster/maps';

interface FoundValue {
  readonly stored: StoredValue;
  readonly version: string;
  /** That it took to read it; absent where it was not read. */
  readonly durationMs?: number;
}

/** Of a value, with its page: as much as can be put back. */
const mostGivenBytes = 1024 * 1024;

interface MapPagesTerms {
  /** Of this console. */
  readonly origin: string;
  /** That a value may have. */
  readonly mostBytes: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createMapPages(tools: PageTools, acts: Acts, { origin, mostBytes, now }: MapPagesTerms) {
  const findEntries = createFindEntries(tools);
  const readings = createMapReadings(tools);
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const name = form.get('open')?.trim();
      if (name) return tools.goTo(ctx, structureHref('map', name));
      const asked = queryOf(form, listed.maps.names);
      const { body } = await tools.run<ListAnswer<ListedMap>>(ctx, 'listMaps', { query: asked });
      const may = await tools.mayRun(ctx, ['putMapEntry']);
      const html = renderMaps({
        frame: await tools.frame(ctx),
        maps: body.items,
        firstSnippets: may.has('putMapEntry') ? firstEntry(origin, t) : undefined,
        filters: filtersOf(listHref, asked, t('structures.beginningOfName'), [], t),
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
    async showEntry(ctx: PageContext): Promise<void> {
      const found = await findEntry(ctx);
      const isAsked = ctx.state.form.get('do') === 'remove';
      if (isAsked && found) return acts.ask(ctx, removal(ctx), entryPlace(ctx), paramsOf(ctx));
      await sendEntry(ctx, found, {});
    },
    /** `POST /cluster/maps/:map/:key`: puts a value, or removes the entry. */
    async changeEntry(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      if (form.get('do') === 'put') return put(ctx);
      const former = await findEntry(ctx);
      if (form.get('do') !== 'remove' || !former) return tools.goTo(ctx, hrefOf(ctx));
      const done = await acts.perform(ctx, removal(ctx), entryPlace(ctx), paramsOf(ctx));
      if (done)
        await sendEntry(ctx, undefined, {
          notice: { text: textFor(ctx)('maps.removed'), former: formerOf(former) },
        });
    },
    ...createValuePages(tools),
    /** `POST /cluster/maps/:map/:key/value`: puts what a file holds. */
    async putFile(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const [file = '', type = ''] = [form.get('file'), form.get('file_type')?.trim()];
      const former = await findEntry(ctx);
      if (file === '') return sendEntry(ctx, former, { fileErrors: [fileError(t('values.noFile'))] });
      try {
        await putBytes(ctx, tools, Buffer.from(file, 'base64'), type);
      } catch (error) {
        const fileErrors = fileErrorsOf(error, mostBytes, t);
        return sendEntry(ctx, await findEntry(ctx), { fileErrors });
      }
      const notice = storedNotice(former, t);
      await sendEntry(ctx, await findEntry(ctx), { notice });
    },
  };

  /** What is found at once has an address; the rest is a job. */
  async function get(ctx: PageContext, map: ShownStructure): Promise<void> {
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
    map: ShownStructure,
    { keysToFind, ...shown }: Partial<MapModel> & { readonly keysToFind?: readonly string[] | undefined },
  ): Promise<void> {
    const may = await tools.mayRun(ctx, ['clearMap']);
    const html = renderMap({
      frame: await tools.frame(ctx),
      map,
      mayChange: may.has('clearMap'),
      csrf: tools.csrf(ctx),
      ...(await readings.state(ctx, map.id)),
      numbers: await numbersShown(ctx, tools, `map:${map.id}`, now),
      keys: ctx.state.form.get('keys') ?? '',
      ...shown,
      // Last: these may take all the calls that the person has in a second, and wait for more. Nothing else here does.
      found: keysToFind && (await findEntries(ctx, map.id, keysToFind)),
    });
    tools.send(ctx, html, shown.problem === undefined ? 200 : 400);
  }

  async function findMap(ctx: PageContext): Promise<ShownStructure> {
    const { map } = ctx.params;
    const { body } = await tools.run<ShownStructure>(ctx, 'readMap', { params: { map: String(map) } });
    return body;
  }

  /** @returns undefined where there is none */
  async function findEntry(ctx: PageContext): Promise<FoundValue | undefined> {
    try {
      const request = { params: paramsOf(ctx), query: { first: String(mostGivenBytes) } };
      const began = performance.now();
      const { body, version = '' } = await tools.run<StoredValue>(ctx, 'readMapEntry', request);
      return { stored: body, version, durationMs: Math.round((performance.now() - began) * 10) / 10 };
    } catch (error) {
      if (isNoEntry(error)) return undefined;
      throw error;
    }
  }

  async function put(ctx: PageContext): Promise<void> {
    const t = textFor(ctx);
    const { form } = ctx.state;
    const typed = typedValue(form);
    const former = await findEntry(ctx);
    if (isBrokenJson(typed)) {
      const errors = [{ field: 'value', text: t('values.notJson') }];
      return sendEntry(ctx, former, { typed, errors });
    }
    const ifMatch = form.get('version');
    const condition = ifMatch === undefined ? { isNew: true } : { ifMatch };
    let answer: Answered<StoredValue>;
    try {
      const request = { params: paramsOf(ctx), body: givenValue(typed), ...condition };
      answer = await tools.run<StoredValue>(ctx, 'putMapEntry', request);
    } catch (error) {
      const errors = fieldErrorsOf(error, fieldOf, t);
      return sendEntry(ctx, await findEntry(ctx), { typed, errors });
    }
    const notice = storedNotice(former, t);
    await sendEntry(ctx, { stored: answer.body, version: answer.version ?? '' }, { notice });
  }

  async function sendEntry(
    ctx: PageContext,
    found: FoundValue | undefined,
    shown: Partial<EntryModel>,
  ): Promise<void> {
    const may = await tools.mayRun(ctx, ['putMapEntry', 'deleteMapEntry']);
    const opened = found && openValue(found.stored);
    const html = renderMapEntry({
      frame: await tools.frame(ctx),
      ...paramsOf(ctx),
      value: opened && shownValue(opened, ctx.state.form.get('as')),
      member: found?.stored.member,
      durationMs: found?.durationMs,
      version: found?.version,
      typed: opened ? typedOf(opened) : { value: '', encoding: 'text', type: 'text/plain' },
      errors: [],
      csrf: tools.csrf(ctx),
      fileErrors: [],
      mostBytes,
      mayPut: may.has('putMapEntry'),
      mayRemove: may.has('deleteMapEntry'),
      ...shown,
    });
    const isRejected = shown.errors?.length || shown.fileErrors?.length;
    tools.send(ctx, html, isRejected ? 400 : 200);
  }
}

function storedNotice(former: FoundValue | undefined, t: Translate): EntryNotice {
  return { text: t('maps.stored'), former: formerOf(former), isFirst: former === undefined };
}

/** What can be put back. */
function formerOf(found: FoundValue | undefined): StoredValue | undefined {
  return found && isComplete(found.stored) ? found.stored : undefined;
}

function paramsOf({ params }: PageContext): { readonly map: string; readonly key: string } {
  return { map: String(params.map), key: String(params.key) };
}

function hrefOf(ctx: PageContext): string {
  const { map, key } = paramsOf(ctx);
  return entryHref(map, key);
}

function fieldOf(pointer: string): string | undefined {
  const name = pointer.slice(2);
  return ['value', 'type'].includes(name) ? name : undefined;
}

function mapPlace(map: string, t: Translate) {
  const href = structureHref('map', map);
  return {
    path: [
      { title: t('common.maps'), href: listHref },
      { title: map, href },
    ],
    href,
  };
}

function entryPlace(ctx: PageContext) {
  const { map, key } = paramsOf(ctx);
  const href = entryHref(map, key);
  return { path: [...mapPlace(map, textFor(ctx)).path, { title: key, href }], href };
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

function removal(ctx: PageContext): Act {
  const t = textFor(ctx);
  const { map, key } = paramsOf(ctx);
  return {
    name: 'remove',
    operation: 'deleteMapEntry',
    title: t('maps.removeOf', { key }),
    effects: [t('maps.entryRemoved', { key, map }), t('maps.canBePutBack')],
    button: t('maps.removeEntry'),
    // Undo removes what it has put, and nothing else.
    requestOf: (form) => ({ body: {}, ifMatch: form.get('version') }),
  };
}
