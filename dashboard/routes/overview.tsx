/** The pages of somebody who is signed in, and the forms on them. */
import type { Context } from 'koa';
import { ProblemError } from '../../platform/errors.ts';
import { problems } from '../errors.ts';
import { queryOf, type SendPage, seeOther } from '../http/pages.ts';
import type { Session } from '../identity/sessions.ts';
import type { Licences } from '../licences.ts';
import type { Cluster } from '../metrics/cluster.ts';
import { type History, type Period, periodOf } from '../metrics/history.ts';
import { measures, type Sampler, type Snapshot } from '../metrics/sampler.ts';
import { AccountPage } from '../views/account.tsx';
import { OverviewPage } from '../views/overview.tsx';
import { SignedOutPage } from '../views/signed-out.tsx';
import type { CurrentSession } from './current-session.ts';
import { signedOutState } from './sign-in.tsx';

export interface OverviewDeps {
  readonly currentSession: CurrentSession;
  readonly sampler: Sampler;
  readonly cluster: Pick<Cluster, 'offer'>;
  readonly history: Pick<History, 'series' | 'rates' | 'span'>;
  readonly licences: Pick<Licences, 'current'>;
  readonly issuer: string;
  readonly sendPage: SendPage;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const maxItemLength = 1000;

export function createOverview({
  currentSession,
  sampler,
  cluster,
  history,
  licences,
  issuer,
  sendPage,
  now,
}: OverviewDeps) {
  return {
    /** `GET /`: nobody signed in is sent to sign in, unless they come from signing out. */
    async show(ctx: Context): Promise<void> {
      const session = currentSession.find(ctx);
      const query = queryOf(ctx);
      if (session) {
        // It stays for what loads the page anew: script, forms, and the browser by itself.
        if (query.has('period')) session.period = periodOf(query.get('period')).id;
        return showOverview(ctx, session, {});
      }
      if (query.get('state') === signedOutState) return sendPage(ctx, <SignedOutPage />);
      seeOther(ctx, '/login');
    },
    /** `GET /account` */
    async showAccount(ctx: Context): Promise<void> {
      const session = currentSession.find(ctx);
      if (!session) return seeOther(ctx, '/login');
      await sampler.withToken(session, async () => undefined);
      sendPage(ctx, <AccountPage currentSession={signedInModel(session)} session={session} />);
    },
    /** `POST /queues/watch` */
    async watchQueue(ctx: Context): Promise<void> {
      const { session, form } = await currentSession.readForm(ctx);
      const problem = session.watched.addQueue((form.get('queue') ?? '').trim());
      if (problem !== undefined) return showOverview(ctx, session, { problem }, 400);
      seeOther(ctx, '/');
    },
    /** `POST /queues/hide` */
    async hideQueue(ctx: Context): Promise<void> {
      const { session, form } = await currentSession.readForm(ctx);
      session.watched.removeQueue(form.get('queue') ?? '');
      seeOther(ctx, '/');
    },
    /** `POST /entries/watch` */
    async watchEntry(ctx: Context): Promise<void> {
      const { session, form } = await currentSession.readForm(ctx);
      const map = (form.get('map') ?? '').trim();
      const problem = session.watched.addEntry({ map, key: form.get('key') ?? '' });
      if (problem !== undefined) return showOverview(ctx, session, { problem }, 400);
      seeOther(ctx, '/');
    },
    /** `POST /entries/hide` */
    async hideEntry(ctx: Context): Promise<void> {
      const { session, form } = await currentSession.readForm(ctx);
      session.watched.removeEntry({ map: form.get('map') ?? '', key: form.get('key') ?? '' });
      seeOther(ctx, '/');
    },
    /** `POST /queues/offer`: what only an administrator may, decided by the console. */
    async offer(ctx: Context): Promise<void> {
      const { session, form } = await currentSession.readForm(ctx);
      const queue = form.get('queue') ?? '';
      const item = form.get('item') ?? '';
      if (!session.watched.queues().includes(queue))
        throw new ProblemError(problems.invalidRequest, 'This queue is not shown.');
      if (item === '' || item.length > maxItemLength) {
        return showOverview(ctx, session, { problem: `An item has 1 to ${maxItemLength} characters.` }, 400);
      }
      const reading = await sampler.withToken(session, (token) => cluster.offer(token, queue, item));
      sampler.forget(session);
      if ('value' in reading) return seeOther(ctx, '/');
      const { detail, role } = reading.denial;
      const needed = role === undefined ? '' : ` The role ${role} opens it.`;
      await showOverview(
        ctx,
        session,
        { problem: `Nothing was offered to ${queue}. ${sentence(detail)}${needed}` },
        403,
      );
    },
  };

  function signedInModel({ caller, csrf }: Session) {
    return { username: caller.username, roles: caller.roles, csrf, consoleUrl: issuer };
  }

  async function showOverview(
    ctx: Context,
    session: Session,
    { problem }: { readonly problem?: string },
    status = 200,
  ): Promise<void> {
    const snapshot = await sampler.sample(session);
    const period = periodOf(session.period);
    const model = {
      currentSession: signedInModel(session),
      snapshot,
      period,
      plots: plotsOf(history, period, snapshot, now()),
      licence: licences.current(),
      isAdministrator: session.caller.roles.includes('Admin'),
      problem,
    };
    sendPage(ctx, <OverviewPage {...model} />, { status });
  }
}

function plotsOf(
  history: OverviewDeps['history'],
  period: Period,
  { queues, entries }: Snapshot,
  now: number,
) {
  const series = (measure: string) => history.series(measure, period, now);
  const names = [...queues.keys()];
  const shown = [measures.connections, measures.latency, ...names.map(measures.queue)];
  return {
    axis: { now, spanMs: history.span(shown, period, now) },
    connections: series(measures.connections),
    latency: series(measures.latency),
    queues: new Map(
      names.map((name) => {
        const measure = measures.queue(name);
        return [name, { sizes: series(measure), rates: history.rates(measure, period, now) }];
      }),
    ),
    entries: entries.map(({ map, key }) => series(measures.entry(map, key))),
  };
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
