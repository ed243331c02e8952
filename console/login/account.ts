/** Who is signed in, where, and the ways out: the home page until the admin pages have more to show. */

import type { Context, ParameterizedContext } from 'koa';
import { ProblemError, problems } from '../../platform/errors.ts';
import { type AccountModel, renderAccount } from '../../views/account.tsx';
import type { LoggedOutApplication } from '../../views/logout-outcomes.tsx';
import type { FrameModel } from '../../views/management/frame.tsx';
import { effectiveRoles, openElevation } from '../accounts/elevations/effective-roles.ts';
import { endsBetween } from '../accounts/elevations/elevation-record.ts';
import type { Throttle } from '../accounts/guessing/throttle.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { Sessions, SignInSession } from '../accounts/sessions.ts';
import type { SignInTimes } from '../accounts/sign-in-times.ts';
import type { Users } from '../accounts/users.ts';
import type { Csrf } from '../http/csrf.ts';
import {
  chooseDisplay,
  chosenIn,
  densityOf,
  languageOf,
  themeOf,
  zoneOf,
  zones,
} from '../http/display/display-choice.ts';
import { presentationOf, textFor } from '../http/display/presentation.ts';
import type { Form } from '../http/form.ts';
import type { WithForm } from '../http/guards.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { UserRecord } from '../storage/records.ts';
import type { ChangeEntries, PreparedChange } from './change-entries.ts';
import type { CurrentSession } from './current-session.ts';
import { checkRepeated } from './setup.ts';
import { sendToLogin, type WithSession } from './signed-in.ts';
import { checkPassword } from './step-up.ts';

export interface AccountPageDeps {
  readonly currentSession: CurrentSession;
  readonly users: Users;
  readonly passwords: Passwords;
  readonly throttle: Throttle;
  readonly sessions: Sessions;
  /** What the applications of an ended session say, as far as they have answered within a second. */
  readonly outcomesOf: (ended: SignInSession) => Promise<readonly LoggedOutApplication[]>;
  readonly times: SignInTimes;
  readonly csrf: Pick<Csrf, 'token'>;
  /** As it is shown to people. */
  readonly nameOfProvider: (id: string) => string;
  /** The same. */
  readonly findApplication: (id: string) => Promise<{ readonly name: string; readonly clientUri?: string }>;
  /** What a role opens, in words. */
  readonly meaningOfRole: (role: string) => string;
  readonly isSecure: boolean;
  /** Of the management pages; undefined for who may open none. */
  readonly frameOf: (ctx: Context, here: WithSession) => Promise<FrameModel | undefined>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** @throws {ProblemError} `audit_unavailable`: nothing is changed that could not be recorded */
  readonly checkMayChange: () => void;
  readonly entries: Pick<ChangeEntries, 'prepare' | 'say'>;
  readonly onRejected: (ctx: Context, event: string, account: UserRecord, reason: string) => void;
}

/** Sessions on one page. */
const mostSessions = 50;

/** Where the question of the sign-out page is answered too. */
const signOutPath = '/connect/logout/confirm';

type ChangeContext = ParameterizedContext<WithSession & WithForm>;

interface Shown {
  /** The key of a session, behind which the list goes on. */
  readonly after?: string | undefined;
  readonly problem?: string;
  readonly problemRetry?: number | undefined;
  readonly notice?: string;
  readonly ended?: readonly LoggedOutApplication[];
}

export function createAccountPage(deps: AccountPageDeps) {
  const { currentSession, users, passwords, throttle, sessions, times, csrf, isSecure, now } = deps;
  const { outcomesOf, nameOfProvider, meaningOfRole, checkMayChange, entries, onRejected } = deps;

  return {
    async show(ctx: ChangeContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const notice = form.get('done') === 'display' ? { notice: t('account.savedBrowser') } : {};
      await showAccount(ctx, ctx.state, { after: form.get('after'), ...notice });
    },
    /** `POST /account/password`: ends every other session (S34). */
    async changePassword(ctx: ChangeContext): Promise<void> {
      const t = textFor(ctx);
      const here = ctx.state;
      try {
        checkMayChange();
        checkOwnsPassword(here.account);
        await replacePassword(ctx, here.account, here.form);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        onRejected(ctx, 'password.changed', here.account, error.problem.code);
        // Whoever changed the account meanwhile has ended this session.
        const live = await currentSession.current(ctx);
        if (!live || !(await users.find(live.accountId))) return sendToLogin(ctx);
        ctx.status = error.problem.status;
        ctx.set(error.headers);
        const seconds = error.headers['Retry-After'];
        const problemRetry = seconds === undefined ? undefined : Number(seconds);
        return showAccount(ctx, here, { problem: error.message, problemRetry });
      }
      const account = (await users.find(here.account.id)) ?? here.account;
      const current = await currentSession.start(ctx, account.id, users.issueTime(account, now()));
      const notice = t('account.yourPasswordChangedEvery');
      await showAccount(ctx, { current, account }, { notice });
    },
    /** `POST /account/display`: how pages are shown in this browser. */
    async chooseDisplay(ctx: ChangeContext): Promise<void> {
      const { form } = ctx.state;
      const chosen = {
        theme: themeOf(form.get('theme')),
        density: densityOf(form.get('density')),
        zone: zoneOf(form.get('zone')),
        language: languageOf(form.get('language')),
      };
      chooseDisplay(ctx, chosen, isSecure);
      ctx.status = 303;
      ctx.redirect('/account?done=display#display');
    },
    /** `POST /account/sessions`: ends one session of this account. */
    async endSession(ctx: ChangeContext): Promise<void> {
      const t = textFor(ctx);
      const here = ctx.state;
      checkMayChange();
      const named = await sessions.findByKey(here.form.get('session') ?? '');
      const chosen = named?.accountId === here.account.id ? named : undefined;
      const ended = chosen && (await sessions.end(chosen.uid));
      if (chosen) await entries.say(ctx, 'session.ended', here.account);
      if (chosen?.uid === here.current.uid) return sendToLogin(ctx);
      const outcomes = ended ? await outcomesOf(ended) : [];
      await showAccount(ctx, here, { notice: t('common.sessionEnded'), ended: outcomes });
    },
  };

  /** Refused before the password that is typed is looked at: none could be right. */
  function checkOwnsPassword({ federated }: UserRecord): void {
    if (!federated) return;
    const name = nameOfProvider(federated.provider);
    throw new ProblemError(problems.conflict, `You sign in with ${name}: your password is changed there.`);
  }

  /** Ends an elevation too: both are in the audit by the commit of the change. */
  async function replacePassword(ctx: Context, account: UserRecord, form: Form): Promise<void> {
    await checkPassword(account, form.get('current_password') ?? '', { throttle, passwords });
    const password = checkRepeated(form.get('password'), form.get('password_again'));
    let prepared: PreparedChange | undefined;
    await users.setPassword(account.id, password, account, {
      storedWith({ before, after }) {
        prepared = entries.prepare(ctx, 'password.changed', before ?? account, endsBetween(before, after));
        return prepared.records;
      },
    });
    await prepared?.say();
  }

  /** This one first, and so many of the others, however many there are. */
  async function someOf({ current, account }: WithSession, after: string | undefined) {
    const accountId = account.id;
    const page = await sessions.page({
      accountId,
      limit: mostSessions,
      after: isKey(after) ? after : undefined,
    });
    const others = page.sessions.filter(({ uid }) => uid !== current.uid);
    const own = await sessions.find(current.uid);
    const sorted = others.sort((a, b) => b.startedAt - a.startedAt);
    return { own: own ? [own, ...sorted] : sorted, next: page.next };
  }

  async function showAccount(
    ctx: Context,
    { current, account }: WithSession,
    { after, ...shown }: Shown,
  ): Promise<void> {
    const { own, next } = await someOf({ current, account }, after);
    const before = await times.before(account.id, current.startedAt);
    const applications = await applicationsOf(own, deps.findApplication);
    setPageHeaders(ctx, isSecure, [], [], 'own');
    ctx.type = 'html';
    ctx.body = renderAccount(
      {
        frame: await deps.frameOf(ctx, { current, account }),
        username: account.username,
        email: account.email,
        roles: effectiveRoles(account, now()).map((name) => ({ name, meaning: meaningOfRole(name) })),
        elevation: elevationOf(account, now()),
        mayTakeRoles: (account.eligibleRoles ?? []).length > 0,
        signedInAt: date(current.startedAt),
        sessionEndsAt: date(current.endsAt),
        lastLoginAt: before === undefined ? undefined : date(before),
        applications,
        sessions: own.map((session) => ({
          key: session.key,
          isCurrent: session.uid === current.uid,
          startedAt: date(session.startedAt),
          clientAddress: session.clientAddress,
          userAgent: session.userAgent,
        })),
        moreSessionsHref: next === undefined ? undefined : `/account?after=${next}#sessions`,
        signOut: { action: signOutPath, csrf: csrf.token(ctx) },
        csrf: csrf.token(ctx),
        passwordAction: account.federated ? undefined : '/account/password',
        providerName: account.federated && nameOfProvider(account.federated.provider),
        endSessionAction: '/account/sessions',
        displayAction: '/account/display',
        zones: zones(),
        language: chosenIn(ctx).language,
        minPasswordLength: passwords.minCharacters,
        ...shown,
      },
      presentationOf(ctx),
    );
  }
}

function elevationOf(account: UserRecord, now: number): AccountModel['elevation'] {
  const open = openElevation(account, now);
  return open && { role: open.role, endsAt: new Date(open.endsAt) };
}

/** Of every open session, each once, since the first of its sign-ins that are still open. */
async function applicationsOf(own: readonly SignInSession[], find: AccountPageDeps['findApplication']) {
  const since = new Map<string, number>();
  for (const { applications } of own) {
    for (const { clientId, since: at, grantId } of applications) {
      if (grantId !== undefined) since.set(clientId, Math.min(at, since.get(clientId) ?? at));
    }
  }
  return Promise.all([...since].map(async ([id, at]) => ({ ...(await find(id)), since: date(at) })));
}

function isKey(text: string | undefined): boolean {
  return text !== undefined && /^[\w-]{43}$/.test(text);
}

function date(epochSeconds: number): Date {
  return new Date(epochSeconds * 1000);
}
