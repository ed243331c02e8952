/** `/access/sessions`: where people are signed in, and the end of it. */

import { ProblemError, problems } from '../../../platform/errors.ts';
import { reasonInWords } from '../../../platform/names/network-reason.ts';
import type { ShownLogout } from '../../../views/management/access/logouts.tsx';
import {
  renderSession,
  renderSessions,
  type ShownSession,
  sessionHref,
  sessionParts,
  sessionsPath,
} from '../../../views/management/access/sessions.tsx';
import type { OpenSessions } from '../../../views/management/access/user-access.tsx';
import type { BulkJob } from '../../../views/management/bulk/outcome.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { idOf } from '../../admin-api/sessions/session-ids.ts';
import { presentationOf, textFor } from '../../http/display/presentation.ts';
import { type Act, type Acts, reasonIn, reasonText } from '../acts.ts';
import { createBulk } from '../bulk/bulk.ts';
import { listed } from '../listed-pages.ts';
import { filtersOf, type ListAnswer, liveOf, placesOf, queryOf } from '../lists.ts';
import type { LiveList, NewestItem } from '../live/new-items.ts';
import type { Parts } from '../live/parts.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

const listHref = '/access/sessions';
const endAllHref = `${listHref}?do=end-all`;

/** By the `uid` that the browser's own session has. */
export type KeyOfSession = (uid: string) => Promise<string | undefined>;

interface SessionPagesDeps {
  /** Of this console. */
  readonly origin: string;
  readonly keyOfSession: KeyOfSession;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** No process says that sessions have begun: they are read so seldom. */
const newSessionsMs = 4_000;

export function createSessionPages(tools: PageTools, acts: Acts, deps: SessionPagesDeps) {
  const { origin, keyOfSession, now } = deps;
  const bulk = createBulk({ tools, acts, origin }, 'sessions', (t) => t('common.sessions'), {
    nameOf: userOf,
    ownOf,
    wholeHref: endAllHref,
  });
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      if (form.get('do') === 'end-all') return acts.ask(ctx, await endingAll(ctx), listPlace(t), {});
      if (await bulk.ask(ctx)) return;
      const asked = queryOf(form, listed.sessions.names);
      const body = await sessionsOf(ctx, asked);
      const filters = filtersOf(listHref, asked, undefined, [], t);
      const may = await tools.mayRun(ctx, ['endSession', 'endAllSessions']);
      const html = renderSessions({
        frame: await tools.frame(ctx),
        sessions: body.items,
        ownId: await ownOf(ctx),
        mayEnd: may.has('endSession'),
        endAllHref: may.has('endAllSessions') ? endAllHref : undefined,
        filters: { ...filters, texts: filterTexts(asked, t) },
        notice: form.get('done') === 'ended' ? t('common.sessionEnded') : undefined,
        ...(await bulk.state(ctx, body)),
        ...placesOf(listHref, asked, body),
        ...liveOf(listHref, asked, newestFirst(body.items)[0]?.id),
      });
      tools.send(ctx, html);
    },
    /** Those that have begun since, of those that the page would have. */
    newSessions: {
      operation: 'listSessions',
      version: () => Math.floor(now() / newSessionsMs),
      isInOrderOfIds: true,
      async read(ctx) {
        const { cursor: _, ...query } = queryOf(ctx.state.form, listed.sessions.names);
        const body = await sessionsOf(ctx, query);
        return { items: newestFirst(body.items), isAll: body.next === null };
      },
    } satisfies LiveList,
    /** `POST /access/sessions`: ends many, or all. */
    async endMany(ctx: PageContext): Promise<void> {
      if (ctx.state.form.get('do') === 'end-all') {
        const job = await acts.perform<BulkJob>(ctx, await endingAll(ctx), listPlace(textFor(ctx)), {});
        if (job) tools.goTo(ctx, `${listHref}?job=${job.body.id}`);
        return;
      }
      if (!(await bulk.perform(ctx))) tools.goTo(ctx, listHref);
    },
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const session = await find(ctx);
      const isOwn = session.id === (await ownOf(ctx));
      if (ctx.state.form.get('do') === 'end')
        return acts.ask(ctx, ending(session, isOwn, t), placeOf(session, t), { session: session.id });
      const may = await tools.mayRun(ctx, ['endSession', 'endUserSessions']);
      const html = renderSession({
        frame: await tools.frame(ctx),
        session,
        isOwn,
        mayEnd: may.has('endSession'),
        mayEndAll: may.has('endUserSessions'),
      });
      tools.send(ctx, html);
    },
    /** What goes on while it is open; there is no page any more of one that has ended. */
    async parts(ctx: PageContext): Promise<Parts> {
      return sessionParts({ frame: tools.reader(ctx), session: await find(ctx) });
    },
    /** `POST /access/sessions/:session`: ends it. */
    async end(ctx: PageContext): Promise<void> {
      const session = await find(ctx);
      const t = textFor(ctx);
      const params = { session: session.id };
      const done = await acts.perform(ctx, ending(session, false, t), placeOf(session, t), params);
      if (done) tools.goTo(ctx, `${listHref}?done=ended`);
    },
  };

  /** Of everybody. */
  /** A user whom nobody knows matches nothing: what was typed stays in its box. */
  async function sessionsOf(
    ctx: PageContext,
    query: Readonly<Record<string, string>>,
  ): Promise<ListAnswer<ShownSession>> {
    try {
      return (await tools.run<ListAnswer<ShownSession>>(ctx, 'listSessions', { query })).body;
    } catch (error) {
      const isUnknown = error instanceof ProblemError && error.problem === problems.notFound;
      if (!isUnknown || query.user === undefined) throw error;
      return { items: [], next: null, count: { value: 0, isExact: true } };
    }
  }

  async function endingAll(ctx: PageContext): Promise<Act> {
    const t = textFor(ctx);
    const { body } = await tools.run<ListAnswer<ShownSession>>(ctx, 'listSessions', {
      query: { limit: '1' },
    });
    const { value = 1, isExact = true } = body.count ?? {};
    return {
      name: 'end-all',
      operation: 'endAllSessions',
      title: t('sessions.endAll'),
      effects: [
        t(isExact ? 'sessions.allNow' : 'sessions.moreThanNow', { n: value }),
        t('sessions.everybodyOut'),
        t('sessions.ownLast'),
        t('sessions.goesOn'),
      ],
      button: t('sessions.endAll'),
      isDangerous: true,
      isMaking: true,
      typedName: presentationOf(ctx).branding.name ?? t('sessions.typed'),
      texts: [reasonText(t)],
      // What is quick is over by the time that the list is shown again.
      requestOf: (form) => ({ body: reasonIn(form), waitSeconds: 1 }),
    };
  }

  /** That of the reader. */
  async function ownOf({ state: { current } }: PageContext): Promise<string | undefined> {
    const key = await keyOfSession(current.uid);
    return key === undefined ? undefined : idOf({ key });
  }

  /** Whose it is: ids of sessions say nothing to anybody. */
  async function userOf(ctx: PageContext, id: string): Promise<string> {
    try {
      return (await tools.run<ShownSession>(ctx, 'readSession', { params: { session: id } })).body.user;
    } catch (error) {
      if (error instanceof ProblemError && error.problem === problems.notFound) return id;
      throw error;
    }
  }

  async function find(ctx: PageContext): Promise<ShownSession> {
    const params = { session: String(ctx.params.session) };
    return (await tools.run<ShownSession>(ctx, 'readSession', { params })).body;
  }
}

/** By when they began; the list has them by ids that say nothing of that. */
function newestFirst(sessions: readonly ShownSession[]): readonly NewestItem[] {
  const ids = sessions.map(({ startedAt, id }) => `${startedAt} ${id}`);
  return ids
    .sort()
    .reverse()
    .map((id) => ({ id }));
}

function filterTexts(asked: Readonly<Record<string, string>>, t: Translate) {
  return [
    { name: 'user', label: t('access.user'), value: asked.user ?? '' },
    { name: 'client', label: t('access.application'), value: asked.client ?? '' },
    { name: 'provider', label: t('sessions.identityProvider'), value: asked.provider ?? '' },
  ];
}

function listPlace(t: Translate) {
  return { path: sessionsPath(t), href: listHref };
}

function placeOf({ id, user }: ShownSession, t: Translate) {
  return {
    path: [...sessionsPath(t), { title: t('sessions.of', { user }), href: sessionHref(id) }],
    href: sessionHref(id),
  };
}

function ending({ user, clients }: ShownSession, isOwn: boolean, t: Translate): Act {
  const applications = clients.filter((client) => client !== 'console');
  return {
    name: 'end',
    operation: 'endSession',
    title: t('sessions.endOf', { user }),
    effects: [
      t('sessions.signedOut', { user }),
      ...(isOwn ? [t('sessions.isYours')] : []),
      applications.length === 0
        ? t('sessions.noApplication')
        : t('sessions.applicationsToo', { applications: applications.join(', ') }),
    ],
    button: t('sessions.end'),
  };
}

/** Nobody is signed in at more places than that, but for programs that sign in again and again. */
const mostCounted = '50';

/** Where a person is signed in, in short. */
export async function openSessionsOf(
  tools: PageTools,
  ctx: PageContext,
  user: string,
): Promise<OpenSessions> {
  const query = { user, limit: mostCounted };
  const { body } = await tools.run<ListAnswer<ShownSession>>(ctx, 'listSessions', { query });
  const seen = body.items.map(({ lastSeenAt }) => lastSeenAt).sort();
  return { value: seen.length, isExact: body.next === null, latestAt: seen.at(-1) };
}

/** Where a person is signed in now: in how many sessions, and to which applications from the latest of them. */
export async function openSignInsOf(tools: PageTools, ctx: PageContext, user: string) {
  const query = { user, limit: mostCounted };
  const { body } = await tools.run<ListAnswer<ShownSession>>(ctx, 'listSessions', { query });
  const clients = new Set(body.items.flatMap((session) => session.clients));
  return {
    sessions: body.count?.value ?? body.items.length,
    isExact: body.count?.isExact ?? body.next === null,
    applications: [...clients].filter((client) => client !== 'console').sort(),
  };
}

/** How applications were notified of ends of sessions, of a user or at an application. */
export async function lastLogoutsOf(
  tools: PageTools,
  ctx: PageContext,
  of: ({ readonly user: string } | { readonly client: string }) & { readonly limit: string },
): Promise<readonly ShownLogout[]> {
  const { body } = await tools.run<ListAnswer<ShownLogout>>(ctx, 'listSessionLogouts', { query: of });
  return body.items.map((logout) => ({
    ...logout,
    lastError: logout.lastError && reasonInWords(logout.lastError),
  }));
}
