/** What is done with an identity provider, and whom that hits. */
import { ProblemError, problems } from '../../../../platform/errors.ts';
import type { ShownProvider } from '../../../../views/management/access/identity-providers/provider-parts.tsx';
import type { Translate } from '../../../../views/texts/text.ts';
import { textFor } from '../../../http/display/presentation.ts';
import type { Act } from '../../acts.ts';
import type { ListAnswer } from '../../lists.ts';
import type { PageContext, PageTools } from '../../page-tools.ts';

/** In the form of the page that asks: so many users it said. */
const hitField = 'users';

export function providerActs(provider: ShownProvider, t: Translate): ReadonlyMap<string, Act> {
  const acts: readonly Act[] = [enabling(provider, t), disabling(provider, t), removal(provider, t)];
  return new Map(acts.map((act) => [act.name, act]));
}

function enabling({ id }: ShownProvider, t: Translate): Act {
  return {
    name: 'enable',
    operation: 'enableIdentityProvider',
    title: t('providers.enableNamed', { id }),
    effects: [t('providers.enableEffect')],
    button: t('providers.enable'),
    isDangerous: true,
    isAtOnce: true,
  };
}

/** It ends all sessions of those who have come from there: where nobody has, it hits nobody, and nothing is asked. */
export function disabling({ id, linkedUsers }: ShownProvider, t: Translate): Act {
  return {
    name: 'disable',
    operation: 'disableIdentityProvider',
    title: t('providers.disableNamed', { id }),
    effects: [
      linkedUsers === 0 ? t('providers.nobodySoFar') : t('providers.itHits', { n: linkedUsers }),
      t('providers.canBeEnabledAgain'),
    ],
    button: t('providers.disable'),
    isDangerous: true,
    isAtOnce: linkedUsers === 0,
    hidden: linkedUsers === 0 ? {} : { [hitField]: String(linkedUsers) },
  };
}

/** Whether its page has to ask first: it has not, or has said another number of users. */
export function isUnasked({ state: { form } }: PageContext, { hidden = {} }: Act): boolean {
  return hidden[hitField] !== undefined && form.get(hitField) !== hidden[hitField];
}

/** With what else it does to the reader, and what the API would refuse it for. */
export async function checkedDisabling(
  tools: PageTools,
  ctx: PageContext,
  { id, linkedUsers }: ShownProvider,
  act: Act,
): Promise<Act> {
  if (linkedUsers === 0) return act;
  const t = textFor(ctx);
  const isOwn = ctx.state.account.federated?.provider === id;
  const own = isOwn ? [t('providers.disablesReader')] : [];
  const isLast = await hasEveryAdministrator(tools, ctx, id);
  return {
    ...act,
    effects: [...own, ...act.effects],
    ...(isLast && { stops: t('providers.lastAdministrators') }),
  };
}

/** By what the reader may see; the operation itself refuses it in any case. */
async function hasEveryAdministrator(tools: PageTools, ctx: PageContext, provider: string): Promise<boolean> {
  const query = { role: 'Admin', limit: '200' };
  try {
    const { body } = await tools.run<ListAnswer<Administrator>>(ctx, 'listUsers', { query });
    const active = body.items.filter(({ status }) => status === 'active' || status === 'locked');
    return (
      body.next === null && active.length > 0 && active.every(({ origin }) => origin.provider === provider)
    );
  } catch (error) {
    if (error instanceof ProblemError && error.problem === problems.insufficientScope) return false;
    throw error;
  }
}

interface Administrator {
  readonly status: string;
  readonly origin: { readonly provider: string | null };
}

/** Whoever has come meanwhile is not removed unseen: the number was on the page that asked. */
function removal({ id, linkedUsers }: ShownProvider, t: Translate): Act {
  return {
    name: 'remove',
    operation: 'deleteIdentityProvider',
    title: t('users.removeNamed', { id }),
    effects: [
      linkedUsers === 0 ? t('providers.noUserFromThere') : t('providers.usersRemovedToo', { n: linkedUsers }),
      t('providers.sameNameSomebodyElse'),
    ],
    button: t('providers.remove'),
    isDangerous: true,
    typedName: id,
    hidden: linkedUsers === 0 ? {} : { withAccounts: 'true' },
    requestOf: (form) => ({ query: form.get('withAccounts') === 'true' ? { withAccounts: 'true' } : {} }),
  };
}
