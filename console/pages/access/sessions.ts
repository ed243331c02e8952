/** `/access/sessions`: where people are signed in, and the end of it. */

import {
  renderSession,
  renderSessions,
  type ShownSession,
  sessionHref,
} from '../../../views/management/access/sessions.tsx';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, Acts } from '../acts.ts';
import { filtersOf, type ListAnswer, placesOf, queryOf } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

const listHref = '/access/sessions';
const path = [{ title: 'Sessions', href: listHref }];

export function createSessionPages(tools: PageTools, acts: Acts) {
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const asked = queryOf(form, ['user', 'client', 'provider']);
      const { body } = await tools.run<ListAnswer<ShownSession>>(ctx, 'listSessions', { query: asked });
      const filters = filtersOf(listHref, asked, undefined, [], t);
      const html = renderSessions({
        frame: await tools.frame(ctx),
        sessions: body.items,
        filters: { ...filters, texts: filterTexts(asked) },
        notice: form.get('done') === 'ended' ? 'The session has ended.' : undefined,
        ...placesOf(listHref, asked, body),
      });
      tools.send(ctx, html);
    },
    async show(ctx: PageContext): Promise<void> {
      const session = await find(ctx);
      if (ctx.state.form.get('do') === 'end') return acts.ask(ctx, ending(session), placeOf(session));
      const may = await tools.mayRun(ctx, ['endSession']);
      const html = renderSession({
        frame: await tools.frame(ctx),
        session,
        mayEnd: may.has('endSession'),
      });
      tools.send(ctx, html);
    },
    /** `POST /access/sessions/:session`: ends it. */
    async end(ctx: PageContext): Promise<void> {
      const session = await find(ctx);
      const done = await acts.perform(ctx, ending(session), placeOf(session), { session: session.id });
      if (done) tools.goTo(ctx, `${listHref}?done=ended`);
    },
  };

  async function find(ctx: PageContext): Promise<ShownSession> {
    const params = { session: String(ctx.params.session) };
    return (await tools.run<ShownSession>(ctx, 'readSession', { params })).body;
  }
}

function filterTexts(asked: Readonly<Record<string, string>>) {
  return [
    { name: 'user', label: 'User', value: asked.user ?? '' },
    { name: 'client', label: 'Application', value: asked.client ?? '' },
    { name: 'provider', label: 'Identity provider', value: asked.provider ?? '' },
  ];
}

function placeOf({ id, user }: ShownSession) {
  return { path: [...path, { title: `Session of ${user}`, href: sessionHref(id) }], href: sessionHref(id) };
}

function ending({ user, clients }: ShownSession): Act {
  const applications = clients.filter((client) => client !== 'console');
  return {
    name: 'end',
    operation: 'endSession',
    title: `End this session of ${user}`,
    effects: [
      `${user} is signed out of this console in that browser.`,
      applications.length === 0
        ? 'No application was opened with it.'
        : `So are these applications: ${applications.join(', ')}. Their tokens stop working.`,
    ],
    button: 'End session',
  };
}
