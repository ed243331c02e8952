/** What is done with an identity provider, and whom that hits. */
import type { ShownProvider } from '../../../../views/management/access/identity-providers/provider-parts.tsx';
import type { Translate } from '../../../../views/texts/text.ts';
import { textFor } from '../../../http/display/presentation.ts';
import { type Act, hitting } from '../../acts.ts';
import type { PageContext, PageTools } from '../../page-tools.ts';
import { asPart } from '../../read-part.ts';
import { administratorsOf } from '../user-acts.ts';

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
    hidden: linkedUsers === 0 ? {} : hitting(linkedUsers),
  };
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
  const administrators = await asPart(() => administratorsOf(tools, ctx));
  return (
    administrators !== undefined &&
    administrators.length > 0 &&
    administrators.every(({ origin }) => origin.provider === provider)
  );
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
