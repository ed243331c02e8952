/** Where calls of a kind are off at members: no permission of the caller helps there. */
import type { ShownGroupOff } from '../../../views/management/access/effective/call-panel.tsx';
import type { PageContext, PageTools } from '../page-tools.ts';
import type { Matrix } from './call-columns.ts';

interface RuledCall {
  readonly method: string;
  readonly rule: { readonly template?: string; readonly group?: string } | null;
}

/**
 * Members answer nobody there, so it is asked of a role that may everything.
 *
 * @returns undefined where none has it off, and where the reader may not know
 */
export async function groupOff(
  tools: PageTools,
  ctx: PageContext,
  { method, rule }: RuledCall,
): Promise<ShownGroupOff | undefined> {
  if (!rule?.template || !(await tools.mayRun(ctx, ['readAccessMatrix'])).has('readAccessMatrix'))
    return undefined;
  const { body } = await tools.run<Matrix>(ctx, 'readAccessMatrix', { query: { role: ['Admin'] } });
  const endpoint = body.endpoints.find(
    ({ path, methods }) => path === rule.template && methods.includes(method),
  );
  const members = endpoint?.access.Admin?.groupOffAt ?? [];
  if (members.length === 0) return undefined;
  return { members, group: rule.group ?? '', isEverywhere: members.length === body.members.length };
}
