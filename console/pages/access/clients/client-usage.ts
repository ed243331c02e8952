/** What a machine client has used of what it may, and the act that takes the rest from it. */
import type { ShownUsage, UsageShown } from '../../../../views/management/access/usage-part.tsx';
import type { NotRead } from '../../../../views/management/live/not-read.tsx';
import type { Translate } from '../../../../views/texts/text.ts';
import { textFor } from '../../../http/display/presentation.ts';
import type { Act } from '../../acts.ts';
import type { PageContext, PageTools } from '../../page-tools.ts';
import { readPart } from '../../read-part.ts';
import { phraseOf } from '../granted-access.ts';

export const narrowAct = 'narrow';

interface UsedClient {
  readonly id: string;
  readonly scopes: readonly string[];
}

/**
 * @param terms  brief: without the calls of the last seconds, and without waiting for the disk
 * @returns undefined for who may not see it
 */
export async function usageOf(
  ctx: PageContext,
  tools: PageTools,
  { id }: Pick<UsedClient, 'id'>,
  { isBrief }: { readonly isBrief: boolean },
): Promise<UsageShown | NotRead | undefined> {
  const may = await tools.mayRun(ctx, ['readAccessUsage']);
  if (!may.has('readAccessUsage')) return undefined;
  const query = { client: id };
  return readPart(async () => {
    const { body: usage } = await tools.run<ShownUsage>(ctx, 'readAccessUsage', { query, isBrief });
    const { proposal } = usage;
    return { ...usage, unused: proposal?.isSmaller ? phraseOf(proposal.remove, textFor(ctx)) : '' };
  });
}

/** @returns undefined where nothing would be taken */
export function narrowing(
  client: UsedClient,
  version: string,
  usage: ShownUsage,
  t: Translate,
): Act | undefined {
  const { proposal, days, since, isComplete } = usage;
  if (!proposal?.isSmaller) return undefined;
  const { remove, permissions, stillAsked } = proposal;
  const given = permissions.filter((scope) => !client.scopes.includes(scope));
  return {
    name: narrowAct,
    operation: 'updateClient',
    title: t('clients.narrowAccessOf', { id: client.id }),
    effects: [
      t('clients.itLoses', { n: remove.length, lost: remove.join(', '), days }),
      ...(given.length === 0 ? [] : [t('clients.itGetsInstead', { given: given.join(', ') })]),
      ...(stillAsked.length === 0 ? [] : [t('clients.itStillAsks', { asked: stillAsked.join(', ') })]),
      ...(isComplete ? [] : [t('clients.notAllSince', { since: since.slice(0, 10) })]),
      t('clients.tokensStop'),
    ],
    button: t('clients.narrowAccess'),
    hidden: { version },
    // What was proposed on the page that asked; what has been used since comes as another version of nothing.
    requestOf: (form) => ({ body: { scopes: permissions }, ifMatch: form.get('version') }),
  };
}
