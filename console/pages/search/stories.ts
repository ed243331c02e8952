/** What leads from something pasted to what is known of it: the id of a decision, request, token, grant or job, or an entry. */
import { approvalHref } from '../../../views/management/access/approvals.tsx';
import { sessionHref } from '../../../views/management/access/sessions.tsx';
import { entryHref as mapEntryHref } from '../../../views/management/cluster/found-entries.tsx';
import { decisionHref, entryHref, joinedHref } from '../../../views/management/observe/audit.tsx';
import { jobHref } from '../../../views/management/observe/jobs/job-address.ts';
import type { Translate, WordKey } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { OperationRequest } from '../../operations/run-operation.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { answered, type Found } from './found.ts';

interface Story {
  /** That says whether there is one of this id. */
  readonly operation: string;
  readonly hasForm: RegExp;
  readonly requestOf: (id: string) => OperationRequest;
  readonly name: WordKey;
  readonly hrefOf: (id: string) => string;
}

const stories: readonly Story[] = [
  story('readJob', 'job', 'search.job', jobHref),
  story('readSession', 'ses', 'search.session', sessionHref, 'session'),
  story('readApproval', 'apr', 'search.approval', approvalHref, 'approval'),
  {
    operation: 'readAuditEntry',
    hasForm: /^[a-z0-9]{4,26}-[1-9]\d{0,15}$/,
    requestOf: (id) => ({ params: { auditEntry: id } }),
    name: 'search.auditEntry',
    hrefOf: entryHref,
  },
  {
    operation: 'explainAccess',
    hasForm: /^[\w-]{4,40}\.[0-9a-z]+\.[0-9a-z]+$/,
    requestOf: (id) => ({ query: { decision: id } }),
    name: 'search.refusal',
    hrefOf: decisionHref,
  },
];

/** Of what has no form of its own: whatever the audit knows under it. */
const inAudit: Story = {
  operation: 'traceAuditEntries',
  hasForm: /^(?=.*[\d_-])[\w.~:-]{8,512}$/,
  requestOf: (id) => ({ params: { id } }),
  name: 'search.inAudit',
  hrefOf: joinedHref,
};

export const storyOperations = [...stories, inAudit].map(({ operation }) => operation);

/** @param may  operations that the person may run. @throws {ProblemError} */
export async function storyOf(
  tools: PageTools,
  ctx: PageContext,
  id: string,
  may: ReadonlySet<string>,
): Promise<readonly Found[]> {
  const asked = [...stories, inAudit].filter(
    ({ operation, hasForm }) => may.has(operation) && hasForm.test(id),
  );
  for (const { operation, requestOf, name, hrefOf } of asked) {
    const found = await answered(() => tools.run(ctx, operation, requestOf(id)));
    if (found) return [{ name: textFor(ctx)(name), about: id, href: hrefOf(id), isMeant: true }];
  }
  return [];
}

/** `orders/a1` is the entry `a1` of the map `orders`, whether there is one or not: only its page reads it. */
export function entryNamed(text: string, may: ReadonlySet<string>, t: Translate): readonly Found[] {
  const [, map, key] = /^([^/\s"<>\\]{1,200})\/([^/"<>\\][^"<>\\]*)$/.exec(text) ?? [];
  if (map === undefined || key === undefined || !may.has('readMapEntry')) return [];
  return [{ name: t('search.entryOf', { key, map }), href: mapEntryHref(map, key), isMeant: true }];
}

function story(
  operation: string,
  prefix: string,
  name: WordKey,
  hrefOf: Story['hrefOf'],
  param = prefix,
): Story {
  const hasForm = new RegExp(`^${prefix}_[\\w-]{8,128}$`);
  return { operation, hasForm, requestOf: (id) => ({ params: { [param]: id } }), name, hrefOf };
}
