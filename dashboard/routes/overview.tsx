/** The pages of somebody who is signed in, and the forms on them. */
import type { Context } from 'koa';
import { ProblemError } from '../../platform/errors.ts';
import { problems } from '../errors.ts';
import { queryOf, type SendPage, seeOther } from '../http/pages.ts';
import type { Session } from '../identity/sessions.ts';
import type { Licences } from '../licences.ts';
import type { Cluster } from '../metrics/cluster.ts';
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
  licences,
  issuer,
  sendPage,
  now,
}: OverviewDeps) {
  return {
    /** `GET /`: nobody signed in is sent to sign in, unless they come from signing out. */
    async show(ctx: Context): Promise<void> {
      const session = currentSession.find(ctx);
      if (session) return showOverview(ctx, session, {});
      if (queryOf(ctx).get('state') === signedOutState) return sendPage(ctx, <SignedOutPage />);
      seeOther(ctx, '/login');
    },
    /** `GET /account` */
    async showAccount(ctx: Context): Promise<void> {
      const session = currentSession.find(ctx);
      if (!session) return seeOther(ctx, '/login');
      await sampler.withToken(session, async () => undefined);
      sendPage(
        ctx,
        <AccountPage currentSession={signedInModel(session)} session={session} issuer={issuer} />,
      );
    },
    /** `POST /queues/watch` */
    async watch(ctx: Context): Promise<void> {
      const { session, form } = await currentSession.readForm(ctx);
      const problem = session.watched.add((form.get('queue') ?? '').trim());
      if (problem !== undefined) return showOverview(ctx, session, { problem }, 400);
      seeOther(ctx, '/');
    },
    /** `POST /queues/hide` */
    async hide(ctx: Context): Promise<void> {
      const { session, form } = await currentSession.readForm(ctx);
      session.watched.remove(form.get('queue') ?? '');
      seeOther(ctx, '/');
    },
    /** `POST /queues/offer`: what only an administrator may, decided by the console. */
    async offer(ctx: Context): Promise<void> {
      const { session, form } = await currentSession.readForm(ctx);
      const queue = form.get('queue') ?? '';
      const item = form.get('item') ?? '';
      if (!session.watched.names().includes(queue))
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
        { problem: `Nothing was put into ${queue}. ${detail}.${needed}` },
        403,
      );
    },
  };

  async function showOverview(
    ctx: Context,
    session: Session,
    { problem }: { readonly problem?: string },
    status = 200,
  ): Promise<void> {
    const snapshot = await sampler.sample(session);
    const model = {
      currentSession: signedInModel(session),
      snapshot,
      plots: plotsOf(session, snapshot, now()),
      licence: licences.current(),
      isAdministrator: session.caller.roles.includes('Admin'),
      problem,
    };
    sendPage(ctx, <OverviewPage {...model} />, { status });
  }
}

function signedInModel({ caller, csrf }: Session) {
  return { username: caller.username, roles: caller.roles, csrf };
}

function plotsOf({ history }: Session, { queues }: Snapshot, now: number) {
  const names = [...queues.keys()];
  return {
    axis: { now, spanMs: history.span(now) },
    connections: history.series(measures.connections),
    roundTrip: history.series(measures.roundTrip),
    queues: new Map(
      names.map((name) => {
        const measure = measures.queue(name);
        return [name, { sizes: history.series(measure), rates: history.rates(measure) }];
      }),
    ),
  };
}
