import { renderAccount } from '../../views/account.tsx';
import { renderConsent } from '../../views/consent.tsx';
import { renderDeviceCode, renderDeviceConfirm, renderDeviceDone } from '../../views/device.tsx';
import { renderError } from '../../views/error.tsx';
import { renderInvitation, renderPasswordChosen } from '../../views/invitation.tsx';
import { renderLoggedOut } from '../../views/logged-out.tsx';
import { renderLogin } from '../../views/login.tsx';
import { renderLogout } from '../../views/logout.tsx';
import { renderNotSetUp } from '../../views/not-set-up.tsx';
import type { Presentation } from '../../views/presentation.ts';
import { renderSetup } from '../../views/setup.tsx';
import { renderTestSignIn } from '../../views/test-sign-in.tsx';
import type { Filling } from './filling.ts';
import { managementPages } from './management-pages.ts';

/** Every page with every field of its model filled. */
export const pages: Readonly<Record<string, (filling: Filling, shown?: Presentation) => string>> = {
  ...managementPages,
  'not set up': (_filling, shown) => renderNotSetUp(shown),
  'test sign-in': ({ text, href }, shown) =>
    renderTestSignIn(
      {
        username: text,
        signOut: { action: '/sign-out', csrf: text },
        provider: { id: text, name: text, kind: text, isEnabled: false },
        startHref: href,
        problem: text,
        result: {
          subject: text,
          username: text,
          email: text,
          name: text,
          claims: [{ name: text, values: [text, `${text} 2`] }],
          rules: [{ condition: text, role: text, isMatched: true }],
          roles: [text],
          account: { username: text, state: 'new' },
        },
      },
      shown,
    ),
  setup: ({ text, href }, shown) =>
    renderSetup(
      {
        action: '/setup',
        csrf: text,
        setupToken: text,
        username: text,
        email: text,
        ownAddress: { address: href, href },
        minPasswordLength: 12,
        problem: text,
      },
      shown,
    ),
  invitation: ({ text, href }, shown) =>
    renderInvitation(
      {
        action: '/invitation',
        csrf: text,
        invitation: text,
        username: text,
        ownAddress: { address: href, href },
        minPasswordLength: 12,
        problem: text,
      },
      shown,
    ),
  'password chosen': ({ text, href }, shown) =>
    renderPasswordChosen({ username: text, loginHref: href }, shown),
  login: ({ text, href }, shown) =>
    renderLogin(
      {
        action: '/login',
        csrf: text,
        username: text,
        problem: text,
        application: { name: text },
        cancelHref: href,
        providers: [{ name: text, href }],
      },
      shown,
    ),
  'confirmed login': ({ text, href }, shown) =>
    renderLogin(
      {
        action: '/login',
        csrf: text,
        username: text,
        reauthenticate: true,
        retryAfterSeconds: 40,
        cancelHref: href,
      },
      shown,
    ),
  'login confirmed elsewhere': ({ text, href }, shown) =>
    renderLogin(
      {
        action: '/login',
        csrf: text,
        username: text,
        problem: text,
        reference: { code: text, requestId: text },
        application: { name: text },
        reauthenticate: true,
        confirmWith: { name: text, href },
      },
      shown,
    ),
  consent: ({ text, href }, shown) =>
    renderConsent(
      {
        action: '/consent',
        csrf: text,
        application: { id: href, name: text, origin: text, logoUri: href },
        reach: 'members',
        username: text,
        scopes: [
          { name: text, meaning: text, isNew: true },
          { name: text, meaning: text, isNew: false },
        ],
      },
      shown,
    ),
  logout: ({ text, href }, shown) =>
    renderLogout(
      {
        action: '/connect/logout/confirm',
        csrf: text,
        username: text,
        application: { name: text },
        cancelHref: href,
      },
      shown,
    ),
  'logged out': ({ text, href }, shown) =>
    renderLoggedOut({ loginHref: href, application: { name: text, href } }, shown),
  'logged out of applications': ({ text, href }, shown) =>
    renderLoggedOut(
      {
        loginHref: href,
        application: { name: text, href },
        applications: (['confirmed', 'waiting', 'failed', 'asked'] as const).map((state) => ({
          name: text,
          state,
        })),
        checkAgainHref: href,
      },
      shown,
    ),
  'logged out at a provider': ({ text, href }, shown) =>
    renderLoggedOut({ loginHref: href, provider: { name: text, state: 'open', href } }, shown),
  error: ({ text, href }, shown) =>
    renderError(
      {
        status: 400,
        code: text,
        title: text,
        detail: text,
        requestId: text,
        hint: text,
        actionHref: href,
        actionLabel: 'error.home',
      },
      shown,
    ),
  'device code': ({ text }, shown) =>
    renderDeviceCode({ action: '/device', xsrf: text, userCode: text, problem: text }, shown),
  'device question': ({ text }, shown) =>
    renderDeviceConfirm(
      {
        action: '/device',
        xsrf: text,
        userCode: text,
        application: text,
        device: { address: text, userAgent: text },
        username: text,
      },
      shown,
    ),
  'device signed in': (_filling, shown) => renderDeviceDone({ outcome: 'allowed' }, shown),
  'device not signed in': (_filling, shown) => renderDeviceDone({ outcome: 'denied' }, shown),
  account: ({ text }, shown) =>
    renderAccount(
      {
        username: text,
        email: text,
        roles: [{ name: text, meaning: text }],
        signedInAt: new Date('2025-11-21T08:23:00Z'),
        sessionEndsAt: new Date('2025-11-21T20:23:00Z'),
        lastLoginAt: new Date('2025-11-19T17:02:00Z'),
        applications: [{ name: text, since: new Date('2025-11-02T09:00:00Z') }],
        sessions: [
          { key: text, isCurrent: true, startedAt: new Date(0), clientAddress: text, userAgent: text },
          { key: text, isCurrent: false, startedAt: new Date(0), clientAddress: text, userAgent: text },
        ],
        moreSessionsHref: '/?after=x',
        signOut: { action: '/sign-out', csrf: text },
        csrf: text,
        passwordAction: '/account/password',
        providerName: text,
        endSessionAction: '/account/sessions/end',
        minPasswordLength: 12,
        displayAction: '/account/display',
        zones: [text],
        ended: (['confirmed', 'waiting', 'failed'] as const).map((state) => ({ name: text, state })),
        problem: text,
        notice: text,
      },
      shown,
    ),
};

export const pageNames: readonly string[] = Object.keys(pages);

/** A page as it usually is. */
export function usualPage(name: string): string {
  return fillPage(name, { text: 'plain', href: '/somewhere' });
}

export function fillPage(name: string, filling: Filling, shown?: Presentation): string {
  return pages[name]!({ ...filling, presentation: shown }, shown);
}
