/** `/cluster/maps/:map/:key`: what stands in an entry, and what is put there. */
import { entryHref } from '../../../views/management/cluster/found-entries.tsx';
import {
  type EntryModel,
  type EntryNotice,
  renderMapEntry,
} from '../../../views/management/cluster/maps.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, Acts } from '../acts.ts';
import { type Answered, fieldErrorsOf, type PageContext, type PageTools } from '../page-tools.ts';
import { createValuePages, fileError, fileErrorsOf, putBytes } from './entry-values.ts';
import { isNoEntry } from './map-keys.ts';
import { mapPlace } from './maps.ts';
import type { EntryMemories } from './remembered/entry-memories.ts';
import { createFormerValues, entryOf } from './remembered/former-values.ts';
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

interface FoundValue {
  readonly stored: StoredValue;
  readonly version: string;
  /** That it took to read it; absent where it was not read. */
  readonly durationMs?: number;
}

/** Of a value, with its page: as much as can be put back. */
const mostGivenBytes = 1024 * 1024;

interface EntryPagesTerms {
  /** That a value may have. */
  readonly mostBytes: number;
  readonly entryMemories: EntryMemories;
}

export function createEntryPages(
  tools: PageTools,
  acts: Acts,
  { mostBytes, entryMemories }: EntryPagesTerms,
) {
  const formers = createFormerValues(entryMemories);
  return {
    async show(ctx: PageContext): Promise<void> {
      const found = await findEntry(ctx);
      const isAsked = ctx.state.form.get('do') === 'remove';
      if (isAsked && found) return acts.ask(ctx, removal(ctx), entryPlace(ctx), paramsOf(ctx));
      if (found) await entryMemories.addOpenedKey(entryOf(ctx));
      await sendEntry(ctx, found, {});
    },
    /** `POST /cluster/maps/:map/:key`: puts a value, or removes the entry. */
    async change(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      if (form.get('do') === 'put') return put(ctx);
      if (form.get('do') === 'put-back') return putBack(ctx);
      const former = await findEntry(ctx);
      if (form.get('do') !== 'remove' || !former) return tools.goTo(ctx, hrefOf(ctx));
      const done = await acts.perform(ctx, removal(ctx), entryPlace(ctx), paramsOf(ctx));
      if (!done) return;
      const notice = { text: textFor(ctx)('maps.removed'), former: formerOf(former) };
      await sendEntry(ctx, undefined, { notice, storedId: await formers.store(ctx, former, undefined) });
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
      await sendStored(ctx, former, await findEntry(ctx));
    },
  };

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
    await putValue(ctx, former, { body: givenValue(typed), ...condition, shown: { typed } });
  }

  /** A former value, unless the entry has changed meanwhile. */
  async function putBack(ctx: PageContext): Promise<void> {
    const { form } = ctx.state;
    const former = await findEntry(ctx);
    // Who may not put is told so, whatever there is.
    await tools.check(ctx, 'putMapEntry');
    const body = await formers.read(ctx, form.get('former') ?? '');
    if (!body) return sendEntry(ctx, former, { errors: [{ text: textFor(ctx)('maps.formerGone') }] });
    const ifMatch = form.get('version');
    const condition = ifMatch === undefined ? { isNew: true } : { ifMatch };
    await putValue(ctx, former, { body, ...condition, shown: {} });
  }

  interface Putting {
    readonly body: object;
    readonly ifMatch?: string;
    readonly isNew?: boolean;
    /** Where it is not taken. */
    readonly shown: Partial<EntryModel>;
  }

  async function putValue(
    ctx: PageContext,
    former: FoundValue | undefined,
    { shown, ...request }: Putting,
  ): Promise<void> {
    let answer: Answered<StoredValue>;
    try {
      answer = await tools.run<StoredValue>(ctx, 'putMapEntry', { params: paramsOf(ctx), ...request });
    } catch (error) {
      const errors = fieldErrorsOf(error, fieldOf, textFor(ctx));
      return sendEntry(ctx, await findEntry(ctx), { ...shown, errors });
    }
    await sendStored(ctx, former, { stored: answer.body, version: answer.version ?? '' });
  }

  async function sendStored(
    ctx: PageContext,
    former: FoundValue | undefined,
    found: FoundValue | undefined,
  ): Promise<void> {
    await entryMemories.addOpenedKey(entryOf(ctx));
    const storedId = await formers.store(ctx, former, found?.version);
    await sendEntry(ctx, found, { notice: storedNotice(former, textFor(ctx)), storedId });
  }

  async function sendEntry(
    ctx: PageContext,
    found: FoundValue | undefined,
    { storedId, ...shown }: Partial<EntryModel> & { readonly storedId?: string | undefined },
  ): Promise<void> {
    const may = await tools.mayRun(ctx, ['putMapEntry', 'deleteMapEntry']);
    const stored = may.has('putMapEntry') ? await formers.list(ctx) : [];
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
      // What the notice offers already stands there alone.
      formers: stored.filter(({ id }) => id !== storedId),
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

function entryPlace(ctx: PageContext) {
  const { map, key } = paramsOf(ctx);
  const href = entryHref(map, key);
  return { path: [...mapPlace(map, textFor(ctx)).path, { title: key, href }], href };
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
