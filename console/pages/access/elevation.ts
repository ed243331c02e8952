/** `/account/elevation`: the reader takes one of their eligible roles for a while, sees it, and ends it. */
import {
  accountPath,
  elevationHref,
  renderElevation,
  renderNoElevation,
  type ShownElevation,
} from '../../../views/management/access/elevation.tsx';
import type { OpenElevation } from '../../../views/management/access/user-access.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, Acts } from '../acts.ts';
import type { ListAnswer } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

interface Me {
  readonly eligibleRoles: readonly string[];
  readonly elevation: { readonly id: string } | null;
}

const endAct = 'end';
const placeIn = (t: Translate) => ({
  path: [...accountPath(t), { title: t('elevation.roleForAWhile'), href: elevationHref }],
  href: elevationHref,
});
const placeOfTaking = (t: Translate) => ({ ...placeIn(t), cancelHref: '/account' });

/** @param maxMinutes  `CONSOLE_ELEVATION_MINUTES` */
export function createElevationPage(tools: PageTools, acts: Acts, maxMinutes: number) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { elevation, eligibleRoles } = await meOf(ctx);
      if (elevation) {
        const params = { elevation: elevation.id };
        const { body } = await tools.run<ShownElevation>(ctx, 'readElevation', { params });
        if (ctx.state.form.get('do') === endAct) return acts.ask(ctx, ending(t), placeIn(t), params);
        const notice = ctx.state.form.get('done') === 'taken' ? t('elevation.yoursForNow') : undefined;
        return tools.send(ctx, renderElevation({ frame: await tools.frame(ctx), elevation: body, notice }));
      }
      if (eligibleRoles.length === 0) return tools.send(ctx, renderNoElevation(await tools.frame(ctx)));
      await acts.ask(ctx, taking(eligibleRoles, maxMinutes, t), placeOfTaking(t), {});
    },
    /** `POST /account/elevation`: takes a role, or gives it back. */
    async change(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { elevation, eligibleRoles } = await meOf(ctx);
      if (ctx.state.form.get('do') !== endAct) {
        const act = taking(eligibleRoles, maxMinutes, t);
        const taken = await acts.perform(ctx, act, placeOfTaking(t), {});
        if (taken) tools.goTo(ctx, `${elevationHref}?done=taken`);
        return;
      }
      if (!elevation) return tools.goTo(ctx, elevationHref);
      const ended = await acts.perform(ctx, ending(t), placeIn(t), { elevation: elevation.id });
      if (ended) tools.goTo(ctx, '/login');
    },
  };

  async function meOf(ctx: PageContext): Promise<Me> {
    return (await tools.run<Me>(ctx, 'readMe')).body;
  }
}

const ending = (t: Translate): Act => ({
  name: endAct,
  operation: 'deleteElevation',
  title: t('elevation.end'),
  effects: [t('elevation.goneAtOnce'), t('elevation.signedOut')],
  button: t('elevation.end'),
  requestOf: () => ({}),
});

function taking(roles: readonly string[], maxMinutes: number, t: Translate): Act {
  const minutes = [...[15, 30].filter((each) => each < maxMinutes), maxMinutes];
  return {
    name: 'take',
    operation: 'createElevation',
    title: t('common.takeRoleWhile'),
    effects: [t('elevation.haveAtOnce'), t('elevation.endedEarlier'), t('elevation.inAudit')],
    button: t('elevation.take'),
    isDangerous: true,
    isMaking: true,
    selects: [
      {
        name: 'role',
        label: t('access.role'),
        value: roles[0] ?? '',
        options: roles.map((value) => ({ value, label: value })),
      },
      {
        name: 'minutes',
        label: t('elevation.for'),
        value: String(minutes[0]),
        options: minutes.map((each) => ({
          value: String(each),
          label: t('elevation.minutes', { n: each }),
        })),
      },
    ],
    texts: [
      {
        name: 'reason',
        label: t('access.reason'),
        hint: t('elevation.reasonHint'),
        isRequired: true,
      },
    ],
    requestOf: (form) => ({
      body: {
        role: form.get('role') ?? '',
        minutes: Number(form.get('minutes')),
        reason: form.get('reason')?.trim() ?? '',
      },
    }),
  };
}

export const endElevation = 'end-elevation';

/** Roles that a person has for a while: for who may see those of others, and for the person. */
export async function openElevationsOf(
  tools: Pick<PageTools, 'run'>,
  ctx: PageContext,
  username: string,
): Promise<readonly OpenElevation[]> {
  const query = { state: 'open', limit: '200' };
  const { body } = await tools.run<ListAnswer<ListedElevation>>(ctx, 'listElevations', { query });
  return body.items.filter(({ user }) => user.username === username);
}

interface ListedElevation extends OpenElevation {
  readonly user: { readonly username: string | null };
}

/** @param id  of the person, by name */
export function elevationEnd(id: string, elevation: OpenElevation, t: Translate): Act {
  const { role } = elevation;
  return {
    name: endElevation,
    operation: 'deleteElevation',
    title: t('users.endElevationOf', { id, role }),
    effects: [t('users.endElevationEffect', { id, role })],
    button: t('users.endElevationButton'),
    hidden: { elevation: elevation.id },
  };
}
