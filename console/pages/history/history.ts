/** The history of one thing, from the audit, and the act that puts back what a change has changed. */

import type { DoneNotice } from '../../../views/management/detail.tsx';
import { type Change, textOf } from '../../../views/management/history/changed-fields.ts';
import type { HistoryModel } from '../../../views/management/history/history.tsx';
import { isNotRead } from '../../../views/management/live/not-read.tsx';
import type { ShownEntry } from '../../../views/management/observe/audit.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { loadOperations } from '../../admin-api/load-operations.ts';
import { flattened } from '../../configuration/comparison.ts';
import {
  type AnyOperation,
  type KindOperations,
  kindsOf,
  type ObjectKind,
} from '../../configuration/object-kinds.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, ActPlace, Acts } from '../acts.ts';
import type { ListAnswer } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { readPart } from '../read-part.ts';
import { formerValues } from './former-values.ts';

export interface HistoryOf {
  /** In files of configuration, and so of its operations. */
  readonly kind: ObjectKind['key'];
  /** In entries of the audit. */
  readonly object: 'user' | 'role' | 'client' | 'idp';
  /** What else an operation does to the thing, beside what is written in it. */
  effectsOf?(stored: object, operation: string, t: Translate): readonly string[];
}

/** The thing as its page has read it. */
export interface Present {
  readonly id: string;
  readonly stored: object;
  readonly version: string;
}

export type History = ReturnType<typeof createHistory>;

export const putBackAct = 'put-back';

/** Of an edit: its Undo puts back what the reader has changed last. @param changes  of the thing, the newest first */
export function editNotice(
  { state }: PageContext,
  notice: DoneNotice | undefined,
  changes: HistoryModel['changes'] | undefined,
  version: string,
): DoneNotice | undefined {
  if (notice?.undo !== putBackAct) return notice;
  const newest = changes && !isNotRead(changes) ? changes[0] : undefined;
  const isOwn = newest?.actor?.id === state.account.id;
  if (!newest?.isPutBack || !isOwn) return { text: notice.text };
  return { ...notice, fields: { entry: newest.id, version } };
}

const most = 10;
/** Not every entry of a thing has changed it. */
const mostRead = 50;

export function createHistory(
  tools: PageTools,
  acts: Acts,
  { kind: key, object, effectsOf = () => [] }: HistoryOf,
) {
  return {
    /** @returns undefined for who may not read the audit */
    async of(ctx: PageContext, present: Present): Promise<HistoryModel | undefined> {
      const may = await tools.mayRun(ctx, ['listAuditEntries']);
      if (!may.has('listAuditEntries')) return undefined;
      const named = `${object}:${present.id}`;
      const allHref = `/observe/audit?${new URLSearchParams({ object: named })}`;
      const entries = await readPart(() => changesOf(ctx, named));
      if (isNotRead(entries)) return { allHref, changes: entries };
      const changes = await Promise.all(entries.slice(0, most).map((entry) => shown(ctx, entry, present)));
      return { allHref, changes };
    },
    /** Sends the page that asks. @returns whether the address names a change that can be put back */
    async ask(ctx: PageContext, present: Present, place: ActPlace): Promise<boolean> {
      const found = await asked(ctx, present);
      if (found) await acts.ask(ctx, found.act, place, { [found.param]: present.id });
      return found !== undefined;
    },
    /** Takes the form of that page. @returns whether it is put back; else the page asks again, or nothing is different */
    async perform(ctx: PageContext, present: Present, place: ActPlace): Promise<boolean> {
      const found = await asked(ctx, present);
      if (!found) {
        tools.goTo(ctx, `${place.href}?done=unchanged`);
        return false;
      }
      return (await acts.perform(ctx, found.act, place, { [found.param]: present.id })) !== undefined;
    },
  };

  async function changesOf(ctx: PageContext, named: string): Promise<readonly ShownEntry[]> {
    const query = { object: named, outcome: 'success', limit: String(mostRead) };
    const { body } = await tools.run<ListAnswer<ShownEntry>>(ctx, 'listAuditEntries', { query });
    return body.items.filter(({ change }) => change !== null);
  }

  async function shown(ctx: PageContext, entry: ShownEntry, present: Present) {
    const found = await putBackOf(entry, present, textFor(ctx));
    const may = found && (await tools.mayRun(ctx, [found.act.operation]));
    const isOpen = found !== undefined && may!.has(found.act.operation);
    return { ...entry, change: entry.change!, isPutBack: isOpen };
  }

  /** What the address or the form names. @throws {ProblemError} `not_found` */
  async function asked(ctx: PageContext, present: Present) {
    const { form } = ctx.state;
    if (form.get('do') !== putBackAct) return undefined;
    const params = { auditEntry: form.get('entry') ?? '' };
    const { body: entry } = await tools.run<ShownEntry>(ctx, 'readAuditEntry', { params });
    const isIts = entry.object?.kind === object && entry.object.id === present.id;
    return isIts && entry.outcome === 'success' ? putBackOf(entry, present, textFor(ctx)) : undefined;
  }

  /** @returns undefined where nothing would be different */
  async function putBackOf(entry: ShownEntry, present: Present, t: Translate): Promise<PutBack | undefined> {
    // From before it was there is nothing to put back.
    if (entry.change === null || entry.event.endsWith('.added')) return undefined;
    const operations = (await loadOperations()) as readonly AnyOperation[];
    const kind = kindsOf(operations).find((one) => one.key === key)!;
    const stored = flattened({ ...present.stored });
    const place = { operations, kind, present, stored, t };
    const back = switchBack(entry, place) ?? editBack(entry, place);
    if (!back) return undefined;
    const { act } = back;
    const effects = [...act.effects, ...effectsOf(present.stored, act.operation, t)];
    return { ...back, act: { ...act, effects } };
  }
}

interface PutBack {
  readonly act: Act;
  /** Of the path of its operation. */
  readonly param: string;
}

interface Place {
  readonly operations: readonly AnyOperation[];
  readonly kind: KindOperations;
  readonly present: Present;
  readonly stored: Change;
  readonly t: Translate;
}

/** Whether it is enabled is changed by operations of its own. */
function switchBack(entry: ShownEntry, place: Place): PutBack | undefined {
  const { operations, kind, present, stored, t } = place;
  const [[name, said] = ['', {}], ...others] = Object.entries(entry.change ?? {});
  if (others.length > 0 || (name !== 'status' && name !== 'enabled')) return undefined;
  const { from } = said as { readonly from?: unknown };
  const isOff = (state: unknown) => state === 'disabled' || state === false;
  if (isOff(from) === isOff(stored[name])) return undefined;
  const path = `${kind.path}/{${kind.param}}/${isOff(from) ? 'disable' : 'enable'}`;
  const operation = operations.find((one) => one.path === path)!;
  const effect = t('history.nowThen', { name, now: textOf(stored[name]), former: textOf(from) });
  return { param: kind.param, act: actFor({ entry, present, operation, effects: [effect], body: {}, t }) };
}

function editBack(entry: ShownEntry, { operations, kind, present, stored, t }: Place): PutBack | undefined {
  const operation = operations.find((one) => one.method === 'PATCH' && one.path === kind.read.path)!;
  const { fields, now, kept } = formerValues(entry.change ?? {}, stored, new Set(kind.fields.keys()));
  const names = Object.keys(fields);
  if (names.length === 0) return undefined;
  const effects = [
    ...names.map((name) =>
      t('history.nowThen', { name, now: textOf(now[name]), former: textOf(fields[name]) }),
    ),
    ...(kept.length === 0 ? [] : [t('history.staysAsIs', { names: kept.join(', ') })]),
  ];
  // The one field that is taken away by a word.
  const body =
    'defaultRole' in fields && fields.defaultRole === null ? { ...fields, defaultRole: 'none' } : fields;
  return { param: kind.param, act: actFor({ entry, present, operation, effects, body, t }) };
}

interface ActParts {
  readonly entry: ShownEntry;
  readonly present: Present;
  readonly operation: AnyOperation;
  readonly effects: readonly string[];
  readonly body: object;
  readonly t: Translate;
}

function actFor({ entry, present: { id, version }, operation, effects, body, t }: ActParts): Act {
  const who = entry.actor?.name ?? entry.actor?.id;
  return {
    name: putBackAct,
    operation: operation.id,
    title: t('history.putBackChangeOf', { id }),
    effects: [
      ...effects,
      who === undefined ? t('history.changedByNobodyKnown') : t('history.changedBy', { who }),
    ],
    button: t('history.putBack'),
    isDangerous: operation.isDangerous ?? false,
    hidden: { entry: entry.id, version },
    requestOf: (form) => ({ body, ifMatch: form.get('version') }),
  };
}
