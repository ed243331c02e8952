/** Everything a browser visits: what all pages stand on, and which feature gives what to which. */
import type { RequestListener } from 'node:http';
import type { Context } from 'koa';
import { builtInPermissions } from '../../member-proxy/authorization/permissions.ts';
import { createKnownBrowsers } from '../accounts/guessing/known-browsers.ts';
import type { Setup } from '../accounts/setup.ts';
import type { PageOperations } from '../admin-api/http/http-calls.ts';
import { createFederationModule } from '../federation/module.ts';
import { cookieNames } from '../http/cookies.ts';
import { createCsrf } from '../http/csrf.ts';
import { createPresentation } from '../http/display/presentation.ts';
import { createErrorResponses } from '../http/error-responses.ts';
import { createReturnTarget } from '../http/return-target.ts';
import { createStatic } from '../http/static.ts';
import { createInstallationModule } from '../installation/module.ts';
import { storedSecret } from '../keys/stored-secret.ts';
import { createBrowserSessions } from '../login/browser-session.ts';
import { createCurrentSession } from '../login/current-session.ts';
import { createDevicePages } from '../login/device-pages.ts';
import { createLoginModule } from '../login/module.ts';
import { createPageCaller, type FindPageCaller } from '../login/page-caller.ts';
import { createSignInRecord } from '../login/sign-in-outcome.ts';
import { createSignedIn } from '../login/signed-in.ts';
import { silentRenewalFramePolicy } from '../login/silent-renewal-frame.ts';
import { createLogoutModule } from '../logout/module.ts';
import { createOidcModule, type OidcModule } from '../oidc/module.ts';
import { createFramedError } from '../pages/framed-error.ts';
import { barFramesOf } from '../pages/live/bar.ts';
import { createLive } from '../pages/live/streams.ts';
import { createPagesModule } from '../pages/module.ts';
import { createPageTools } from '../pages/page-tools.ts';
import { wayBack } from '../pages/way-back.ts';
import { createPages } from './pages.ts';
import type { Parts } from './parts.ts';
import { createListVersions } from './services/list-versions.ts';

export interface Browser extends Pick<OidcModule, 'addEndpoints'> {
  readonly pages: RequestListener;
  readonly setup: Setup;
  /** For the admin API. */
  readonly findPageCaller: FindPageCaller;
  /** Ends the streams of pages, which come again to whoever answers then. */
  readonly closeLive: () => void;
}

/** @param pageOperations  of the admin API, for the management pages */
export async function createBrowser(parts: Parts, pageOperations: PageOperations): Promise<Browser> {
  const base = await createBase(parts);
  const federation = createFederationModule(base);
  const logout = createLogoutModule({ ...base, ...federation });
  const { roles } = parts;
  const permissionsOf = (role: string) => builtInPermissions(role) ?? roles.permissionsOf(role);
  const tools = createPageTools({ ...base, pageOperations, permissionsOf });
  const login = createLoginModule({ ...base, ...federation, ...logout, frameOf: tools.frameOf });
  const live = createLive({
    liveSessions: parts.sessions.liveOf,
    findUser: parts.users.find,
    rightsOf: tools.rightsOf,
    barFrames: barFramesOf(tools.bar),
    presentationKeyOf: tools.presentationKeyOf,
    checkMayRun: tools.check,
    setHeaders: tools.setHeaders,
    now: parts.now,
    log: parts.log,
  });
  const management = createPagesModule({
    ...base,
    ...login,
    tools,
    live,
    listVersions: createListVersions(parts),
    keyOfSession: parts.sessions.keyOf,
    permissionsOf,
  });
  base.errors.frameWith(createFramedError(tools));
  const returns = { signIn: login.returned, signOut: logout.resume };
  const pages = createPages({
    ...base,
    url: parts.settings.url,
    sendStatic: await createStatic(),
    presentation: createPresentation({ branding: parts.branding.shown }),
    features: [
      createInstallationModule(parts),
      { addRoutes: (router) => federation.addRoutes(router, returns) },
      login,
      management,
      logout,
      base.oidc,
    ],
    provide: base.oidc.provide,
  });
  const { addEndpoints } = base.oidc;
  const findPageCaller = createPageCaller({
    ...base,
    createContext: (req, res) => pages.createContext(req, res),
    findUser: parts.users.find,
  });
  const { close: closeLive } = live;
  return { pages: pages.callback(), setup: login.setup, addEndpoints, findPageCaller, closeLive };
}

/** What all pages stand on: cookies, CSRF tokens, error pages, the provider and its sessions. */
async function createBase(parts: Parts) {
  const { settings, storage, cipher, users, clients } = parts;
  const { origin, protocol } = new URL(settings.url);
  const isSecure = protocol === 'https:';
  const names = cookieNames(isSecure);
  const secretOf = (id: string) => storedSecret({ registry: storage.registry, cipher }, id);
  const cookies = { names, keys: [await secretOf('cookie-key')] };
  const csrf = createCsrf({ origin, cookieName: names.csrf, isSecure, secret: await secretOf('csrf-key') });
  const browserKey = await secretOf('browser-key');
  const errors = createErrorResponses({ ...parts, isSecure, wayBack });
  const framedBy = (ctx: Context) => silentRenewalFramePolicy(ctx, clients);
  const devicePages = createDevicePages({ findUser: users.find, isSecure });
  const oidc = createOidcModule({ ...parts, cookies, csrf, errors, framedBy, devicePages });
  const browserSessions = createBrowserSessions({ ...parts, ...oidc, isSecure });
  const currentSession = createCurrentSession({ ...parts, browserSessions });
  const returnTarget = createReturnTarget({
    cookieName: names.returnTarget,
    url: settings.url,
    secret: browserKey,
    now: parts.now,
  });
  return {
    ...parts,
    isSecure,
    names,
    cookies,
    csrf,
    errors,
    oidc,
    provider: oidc.provider,
    browserSessions,
    currentSession,
    returnTarget,
    signedIn: createSignedIn({ currentSession, findUser: users.find, returnTarget }),
    knownBrowsers: createKnownBrowsers({ cookieName: names.browser, isSecure, secret: browserKey }),
    onSignIn: createSignInRecord({ ...parts, ...parts.auditOutbox }),
  };
}
