/** What is done with a user, whom that hits, and what the API would refuse it for. */
import type { ShownUser } from '../../../views/management/access/users.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act } from '../acts.ts';
import type { ListAnswer } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { asPart } from '../read-part.ts';
import { openSignInsOf } from './sessions.ts';

export function userActs({ id }: ShownUser, t: Translate): ReadonlyMap<string, Act> {
  const acts: readonly Act[] = [
    {
      name: 'end-everything',
      operation: 'disableUser',
      title: t('users.endEverythingOf', { id }),
      effects: [
        t('users.cannotSignInUntil', { id }),
        t('users.allEndAndCalls'),
        t('users.eachApplicationTold'),
      ],
      button: t('users.endEverything'),
    },
    {
      name: 'end-sessions',
      operation: 'endUserSessions',
      title: t('users.endAllSessionsOf', { id }),
      effects: [t('users.signedOutOfAll', { id }), t('users.everyTokenStops')],
      button: t('users.endSessions'),
    },
    {
      name: 'reset-password',
      operation: 'resetUserPassword',
      title: t('users.resetPasswordOf', { id }),
      effects: [t('users.passwordStops', { id }), t('users.nextPageHasLink')],
      button: t('users.resetPassword'),
      isMaking: true,
      isDangerous: true,
    },
    {
      name: 'remove',
      operation: 'deleteUser',
      title: t('users.removeNamed', { id }),
      effects: [t('users.signedOutEverywhere', { id }), t('users.sameNameSomebodyElse')],
      button: t('users.removeUser'),
      isDangerous: true,
      typedName: id,
    },
  ];
  return new Map(acts.map((act) => [act.name, act]));
}

/** Nobody can do these to themselves, or to the last administrator. */
const shuttingOut: ReadonlySet<string> = new Set(['disableUser', 'deleteUser']);

/** With what is open now, and with why it cannot be done. */
export async function checkedUserAct(
  tools: PageTools,
  ctx: PageContext,
  user: ShownUser,
  act: Act,
): Promise<Act> {
  const t = textFor(ctx);
  const isOwn = user.subject === ctx.state.account.id;
  const shutsOut = shuttingOut.has(act.operation);
  const [open, isLast] = await Promise.all([
    asPart(() => openSignInsOf(tools, ctx, user.id)),
    shutsOut && asPart(() => isLastAdministrator(tools, ctx, user)),
  ]);
  const stops = !shutsOut
    ? undefined
    : isLast
      ? t('users.lastAdministratorStops')
      : isOwn
        ? t('users.ownAccountStops')
        : undefined;
  return {
    ...act,
    effects: [
      ...(isOwn && !shutsOut ? [t('users.signsYouOut')] : []),
      ...act.effects,
      ...(open ? openInWords(open, t) : []),
    ],
    ...(stops !== undefined && { stops }),
  };
}

function openInWords(
  { sessions, isExact, applications }: Awaited<ReturnType<typeof openSignInsOf>>,
  t: Translate,
): readonly string[] {
  const n = sessions;
  if (n === 0) return [t('users.noneOpenNow')];
  return [
    isExact ? t('users.openNow', { n }) : t('users.openNowAtLeast', { n }),
    ...(applications.length === 0
      ? []
      : [t('users.signedInTo', { n: applications.length, applications: applications.join(', ') })]),
  ];
}

/** By what the reader may see; the operation itself refuses it in any case. */
async function isLastAdministrator(tools: PageTools, ctx: PageContext, user: ShownUser): Promise<boolean> {
  if (!user.roles.includes('Admin') || !isIn(user)) return false;
  const administrators = await administratorsOf(tools, ctx);
  return administrators?.every(({ id }) => id === user.id) ?? false;
}

/** @returns those who can sign in; undefined where there are more than a page of them, of whom nobody is the last */
export async function administratorsOf(
  tools: PageTools,
  ctx: PageContext,
): Promise<readonly ShownUser[] | undefined> {
  const query = { role: 'Admin', limit: '200' };
  const { body } = await tools.run<ListAnswer<ShownUser>>(ctx, 'listUsers', { query });
  return body.next === null ? body.items.filter(isIn) : undefined;
}

/** Whoever waits after wrong passwords comes in later. */
function isIn({ status }: ShownUser): boolean {
  return status === 'active' || status === 'locked';
}
