/** Who has changed a thing last, and when: for whoever was about to change it too. */
import { exactText } from '../../../views/elements/moment.ts';
import type { ShownEntry } from '../../../views/management/observe/audit.tsx';
import { loadOperations } from '../../admin-api/load-operations.ts';
import { type AnyOperation, kindsOf } from '../../configuration/object-kinds.ts';
import { presentationOf } from '../../http/display/presentation.ts';
import type { ListAnswer } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { asPart } from '../read-part.ts';
import type { TypedChange } from '../ways/change-ways.ts';

export interface LastChange {
  /** As the reader writes moments; undefined where the thing does not say it. */
  readonly at: string | undefined;
  /** A name, or the id of a client; undefined for who may not read the audit, and where it does not say it. */
  readonly who: string | undefined;
}

/** In entries of the audit, by what files of configuration call them. */
const objects: Readonly<Record<string, string>> = {
  users: 'user',
  roles: 'role',
  clients: 'client',
  applications: 'client',
  identityProviders: 'idp',
};
/** Not every entry of a thing has changed it. */
const mostRead = '20';
/** An entry is of the moment before its change is stored, or of the one behind it. */
const apartMs = 5000;

/** @param change  with the thing as it is stored now */
export async function lastChangeOf(
  tools: PageTools,
  ctx: PageContext,
  change: TypedChange,
): Promise<LastChange> {
  const { updatedAt } = (change.stored ?? {}) as { readonly updatedAt?: string | null };
  if (!updatedAt) return { at: undefined, who: undefined };
  const { zone } = presentationOf(ctx);
  const at = exactText(new Date(updatedAt), zone);
  const object = await objectOf(change);
  const may = await tools.mayRun(ctx, ['listAuditEntries']);
  if (object === undefined || !may.has('listAuditEntries')) return { at, who: undefined };
  const query = { object, outcome: 'success', limit: mostRead };
  const list = await asPart(() => tools.run<ListAnswer<ShownEntry>>(ctx, 'listAuditEntries', { query }));
  const from = Date.parse(updatedAt) - apartMs;
  const entry = list?.body.items.find(
    ({ change: changed, createdAt }) => changed !== null && Date.parse(createdAt) >= from,
  );
  return { at, who: entry?.actor?.name ?? entry?.actor?.id };
}

/** `user:grace` */
async function objectOf({ operation, params = {} }: TypedChange): Promise<string | undefined> {
  const operations = (await loadOperations()) as readonly AnyOperation[];
  const path = operations.find(({ id }) => id === operation)?.path ?? '';
  const kind = kindsOf(operations).find((one) => path.startsWith(`${one.path}/`));
  const id = kind && params[kind.param];
  return kind && id !== undefined && objects[kind.key] !== undefined
    ? `${objects[kind.key]}:${id}`
    : undefined;
}
