/** `/account/elevation`: the reader takes one of their eligible roles for a while, sees it, and ends it. */
import {
  elevationHref,
  renderElevation,
  renderNoElevation,
  type ShownElevation,
} from '../../../views/management/access/elevation.tsx';
import type { Act, Acts } from '../acts.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

interface Me {
  readonly eligibleRoles: readonly string[];
  readonly elevation: { readonly id: string } | null;
}

const place = {
  path: [
    { title: 'Your account', href: '/account' },
    { title: 'Role for a while', href: elevationHref },
  ],
  href: elevationHref,
};
const placeOfTaking = { ...place, cancelHref: '/account' };

/** @param maxMinutes  `CONSOLE_ELEVATION_MINUTES` */
export function createElevationPage(tools: PageTools, acts: Acts, maxMinutes: number) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const { elevation, eligibleRoles } = await meOf(ctx);
      if (elevation) {
        const params = { elevation: elevation.id };
        const { body } = await tools.run<ShownElevation>(ctx, 'readElevation', { params });
        if (ctx.state.form.get('do') === ending.name) return acts.ask(ctx, ending, place);
        const notice = ctx.state.form.get('done') === 'taken' ? 'The role is yours for now.' : undefined;
        return tools.send(ctx, renderElevation({ frame: await tools.frame(ctx), elevation: body, notice }));
      }
      if (eligibleRoles.length === 0) return tools.send(ctx, renderNoElevation(await tools.frame(ctx)));
      await acts.ask(ctx, taking(eligibleRoles, maxMinutes), placeOfTaking);
    },
    /** `POST /account/elevation`: takes a role, or gives it back. */
    async change(ctx: PageContext): Promise<void> {
      const { elevation, eligibleRoles } = await meOf(ctx);
      if (ctx.state.form.get('do') !== ending.name) {
        const act = taking(eligibleRoles, maxMinutes);
        const taken = await acts.perform(ctx, act, placeOfTaking, {});
        if (taken) tools.goTo(ctx, `${elevationHref}?done=taken`);
        return;
      }
      if (!elevation) return tools.goTo(ctx, elevationHref);
      const ended = await acts.perform(ctx, ending, place, { elevation: elevation.id });
      if (ended) tools.goTo(ctx, '/login');
    },
  };

  async function meOf(ctx: PageContext): Promise<Me> {
    return (await tools.run<Me>(ctx, 'readMe')).body;
  }
}

const ending: Act = {
  name: 'end',
  operation: 'deleteElevation',
  title: 'End the elevation',
  effects: [
    'The role is gone at once, and with it all of your sessions and tokens.',
    'You are signed out here and at every application, and sign in again.',
  ],
  button: 'End the elevation',
  requestOf: () => ({}),
};

function taking(roles: readonly string[], maxMinutes: number): Act {
  const minutes = [...[15, 30].filter((each) => each < maxMinutes), maxMinutes];
  return {
    name: 'take',
    operation: 'createElevation',
    title: 'Take a role for a while',
    effects: [
      'You have the role at once in this console, and in tokens from the next one on.',
      'It ends by itself, and can be ended earlier; your sessions and tokens end with it.',
      'Role, time and reason are in the audit log, for others to read.',
    ],
    button: 'Take the role',
    isDangerous: true,
    isMaking: true,
    selects: [
      {
        name: 'role',
        label: 'Role',
        value: roles[0] ?? '',
        options: roles.map((value) => ({ value, label: value })),
      },
      {
        name: 'minutes',
        label: 'For',
        value: String(minutes[0]),
        options: minutes.map((each) => ({
          value: String(each),
          label: `${each} minute${each === 1 ? '' : 's'}`,
        })),
      },
    ],
    texts: [
      {
        name: 'reason',
        label: 'Reason',
        hint: 'One line, such as: Ticket 4711: queue orders is stuck.',
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
