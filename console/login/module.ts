/** Sign-in by people: what the feature needs, what it gives to others, and its pages. */
import type Router from '@koa/router';
import type { Context } from 'koa';
import { type Audit, checkAuditable } from '../../platform/log.ts';
import type { LoggedOutApplication } from '../../views/logout-outcomes.tsx';
import { createGuessing } from '../accounts/guessing/guessing.ts';
import type { KnownBrowsers } from '../accounts/guessing/known-browsers.ts';
import type { LockedNames } from '../accounts/guessing/locked-names.ts';
import { createThrottle } from '../accounts/guessing/throttle.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { Sessions, SignInSession } from '../accounts/sessions.ts';
import { createSetup, type Setup } from '../accounts/setup.ts';
import { createSignIn, type Directories } from '../accounts/sign-in.ts';
import type { SignInTimes } from '../accounts/sign-in-times.ts';
import type { UpstreamReturn, UpstreamSignIn } from '../accounts/upstream-sign-in.ts';
import type { Invitations } from '../accounts/users/invitations.ts';
import type { Users } from '../accounts/users.ts';
import type { Clients } from '../clients/clients.ts';
import type { Csrf } from '../http/csrf.ts';
import { createLanguageChoice } from '../http/display/language.ts';
import { form, type Guard, query } from '../http/guards.ts';
import type { About } from '../http/request-id.ts';
import type { ReturnTarget } from '../http/return-target.ts';
import type { UserRecord } from '../storage/records.ts';
import type { Storage } from '../storage/storage.ts';
import { type AccountPageDeps, createAccountPage } from './account.ts';
import { type ChangeEntriesDeps, createChangeEntries } from './change-entries.ts';
import type { CurrentSession } from './current-session.ts';
import { createInteractions, type InteractionsDeps, wrongCredentials } from './interactions.ts';
import { createInvitationPage } from './invitation.ts';
import { createLogin } from './login.ts';
import { createSetupPage } from './setup.ts';
import type { SignInOutcome } from './sign-in-outcome.ts';
import type { WithSession } from './signed-in.ts';
import { createStepUp, type StepUp, type StepUpDeps } from './step-up.ts';

export interface LoginNeeds extends Pick<InteractionsDeps, 'provider' | 'resources' | 'isSecure'> {
  readonly browserSessions: InteractionsDeps['browserSessions'] & StepUpDeps['browserSessions'];
  /** `CONSOLE_URL`. */
  readonly settings: { readonly url: string };
  readonly storage: Pick<Storage, 'artifacts'>;
  readonly users: Users;
  readonly invitations: Invitations;
  readonly passwords: Passwords;
  readonly roles: { meaningOf(role: string): string; meaningInTokens(role: string): string };
  readonly sessions: Sessions;
  readonly clients: Pick<Clients, 'find'>;
  readonly providers: { find(id: string): { readonly name: string } | undefined };
  readonly times: SignInTimes;
  readonly lockedNames: Pick<LockedNames, 'add'>;
  readonly knownBrowsers: KnownBrowsers;
  readonly csrf: Csrf;
  readonly currentSession: CurrentSession;
  readonly signedIn: Guard<WithSession>;
  readonly returnTarget: ReturnTarget;
  /** Of the management pages; undefined for who may open none. */
  readonly frameOf: AccountPageDeps['frameOf'];
  readonly upstream: UpstreamSignIn;
  readonly directories: Directories;
  /** What the applications of an ended session say, as far as they have answered within a second. */
  readonly outcomesOf: (ended: SignInSession) => Promise<readonly LoggedOutApplication[]>;
  readonly onSignIn: (ctx: Context, outcome: SignInOutcome) => Promise<void>;
  readonly addressOf: (req: Context['req']) => string;
  readonly audit: Audit;
  readonly auditOutbox: ChangeEntriesDeps['auditOutbox'];
  readonly about: About;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The same, going on evenly whatever is done to the clock. */
  readonly steady: () => number;
  readonly setupToken: string;
}

export interface LoginModule {
  readonly setup: Setup;
  /** What is at `/` for who may open no management page. */
  readonly accountPage: ReturnType<typeof createAccountPage>['show'];
  /** For pages with what wants a sign-in of late. */
  readonly stepUp: StepUp;
  /** Where sign-ins at providers come back to. */
  readonly returned: { readonly own: UpstreamReturn; readonly interaction: UpstreamReturn };
  addRoutes(router: Router): void;
}

/** Guesses at the password of an open session (S29). */
const throttling = { attempts: 10, windowSeconds: 300 } as const;

export function createLoginModule(needs: LoginNeeds): LoginModule {
  const { settings, storage, users, passwords, roles, clients, providers, sessions, times } = needs;
  const { csrf, signedIn, addressOf, audit, now, steady } = needs;
  const guessing = createGuessing({ ...needs, artifacts: storage.artifacts });
  const entries = createChangeEntries(needs);
  const deps = {
    ...needs,
    url: settings.url,
    signIn: createSignIn({ ...needs, guessing }),
    clientAddress: (ctx: Context) => addressOf(ctx.req),
    findUser: users.find,
    isSetUp: users.hasAny,
    meaningOfRole: roles.meaningOf,
    meaningInTokens: roles.meaningInTokens,
    entries,
    onChange: entries.say,
  };
  const onRejected = (ctx: Context, event: string, account: UserRecord, reason: string) =>
    audit(event, { ...entries.fieldsOf(ctx, account), outcome: 'denied', reason });
  const throttle = createThrottle({ artifacts: storage.artifacts, steady, ...throttling });
  const setup = createSetup({ users, times, setupToken: needs.setupToken, now });
  const pages: Pages = {
    language: createLanguageChoice(new URL(settings.url).origin, needs.isSecure),
    login: createLogin({ ...deps, wrongCredentials }),
    interactions: createInteractions({ ...deps, endSession: sessions.end }),
    setup: createSetupPage({
      ...deps,
      setup,
      minPasswordLength: passwords.minCharacters,
      onSetup: (ctx, account) => deps.onChange(ctx, 'setup', account),
    }),
    invitation: createInvitationPage({
      ...deps,
      minPasswordLength: passwords.minCharacters,
      onAccepted: (ctx, account) => deps.onChange(ctx, 'invitation.accepted', account),
    }),
    account: createAccountPage({
      ...deps,
      throttle,
      nameOfProvider: (id) => providers.find(id)?.name ?? id,
      async findApplication(id) {
        const { name = id, clientUri } = (await clients.find(id)) ?? {};
        return { name, ...(clientUri !== undefined && { clientUri }) };
      },
      checkMayChange: () => checkAuditable(audit),
      onRejected,
    }),
  };
  return {
    setup,
    accountPage: pages.account.show,
    stepUp: createStepUp({ ...deps, throttle, onRejected }),
    returned: { own: pages.login.returned, interaction: pages.interactions.returned },
    addRoutes: (router) => addRoutes(router, pages, { signedIn, csrf: csrf.guard }),
  };
}

interface Pages {
  readonly account: ReturnType<typeof createAccountPage>;
  readonly login: ReturnType<typeof createLogin>;
  readonly setup: ReturnType<typeof createSetupPage>;
  readonly invitation: ReturnType<typeof createInvitationPage>;
  readonly interactions: ReturnType<typeof createInteractions>;
  readonly language: ReturnType<typeof createLanguageChoice>;
}

interface Guards {
  readonly signedIn: Guard<WithSession>;
  readonly csrf: Csrf['guard'];
}

function addRoutes(
  router: Router,
  { account, login, setup, invitation, interactions, language }: Pages,
  { signedIn, csrf }: Guards,
): void {
  const { interaction } = interactions;
  router.get('/language/:language', language);
  router.get('/account', query, signedIn, account.show);
  router.post('/account/password', form, csrf, signedIn, account.changePassword);
  router.post('/account/display', form, csrf, signedIn, account.chooseDisplay);
  router.post('/account/sessions', form, csrf, signedIn, account.endSession);
  router.get('/setup', query, setup.show);
  router.post('/setup', form, csrf, setup.submit);
  router.get('/invitation', query, invitation.show);
  router.post('/invitation', form, csrf, invitation.submit);
  router.get('/login', login.show);
  router.post('/login', form, csrf, login.submit);
  router.get('/login/start/:provider', login.startUpstream);
  router.get('/login/:uid', interaction, interactions.show);
  router.get('/login/:uid/start/:provider', interaction, interactions.startUpstream);
  router.post('/login/:uid', interaction, form, csrf, interactions.submitLogin);
  router.post('/login/:uid/consent', interaction, form, csrf, interactions.submitConsent);
}
