/** What the command line asks a running console for an import or export, and how that answers. */

import type { Fields } from '../../bulk/sources/source.ts';
import type { BulkTarget, PageOfRows } from '../../bulk/target.ts';
import type { GrowingCollection } from '../../storage/record-store.ts';
import type { WriteAudit } from '../runner/audit-file.ts';

interface Rows {
  readonly collection: GrowingCollection;
  readonly rows: readonly Fields[];
}

export type BulkQuestion =
  | { readonly what: 'hasAdministrator' }
  | ({ readonly what: 'check' } & Rows)
  | ({ readonly what: 'add' } & Rows)
  | { readonly what: 'page'; readonly request: PageOfRows }
  | { readonly what: 'audit'; readonly event: string; readonly fields: Parameters<WriteAudit>[1] };

/** The target of the console, as it is reached through a channel. */
export interface RemoteBulk {
  readonly target: BulkTarget;
  readonly audit: WriteAudit;
}

/** @param ask  sends a question and waits for its answer */
export function createRemoteBulk(ask: (question: BulkQuestion) => Promise<unknown>): RemoteBulk {
  const typed = <T>(question: BulkQuestion) => ask(question) as Promise<T>;
  return {
    target: {
      hasAdministrator: () => typed({ what: 'hasAdministrator' }),
      check: (collection, rows) => typed({ what: 'check', collection, rows }),
      add: (collection, rows) => typed({ what: 'add', collection, rows }),
      page: (request) => typed({ what: 'page', request }),
    },
    async audit(event, fields) {
      await ask({ what: 'audit', event, fields });
    },
  };
}

export async function answerBulk(question: BulkQuestion, { target, audit }: RemoteBulk): Promise<unknown> {
  if (question.what === 'hasAdministrator') return target.hasAdministrator();
  if (question.what === 'check') return target.check(question.collection, question.rows);
  if (question.what === 'add') return target.add(question.collection, question.rows);
  if (question.what === 'page') return target.page(question.request);
  await audit(question.event, question.fields);
  return null;
}
