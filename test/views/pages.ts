import { renderAccount } from '../../views/account.tsx';
import { renderConsent } from '../../views/consent.tsx';
import { renderDeviceCode, renderDeviceConfirm, renderDeviceDone } from '../../views/device.tsx';
import { renderError } from '../../views/error.tsx';
import { renderInvitation, renderPasswordChosen } from '../../views/invitation.tsx';
import { renderLoggedOut } from '../../views/logged-out.tsx';
import { renderLogin } from '../../views/login.tsx';
import { renderLogout } from '../../views/logout.tsx';
import { renderNotSetUp } from '../../views/not-set-up.tsx';
import { renderSetup } from '../../views/setup.tsx';
import { renderTestSignIn } from '../../views/test-sign-in.tsx';
import type { Filling } from './filling.ts';
import { managementPages } from './management-pages.ts';

/** Every page with every field of its model filled. */
export const pages: Readonly<Record<string, (filling: Filling) => string>> = {
  ...managementPages,
  'not set up': () => renderNotSetUp(),
  'test sign-in': ({ text, href }) =>
    renderTestSignIn({
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
    }),
  setup: ({ text, href }) =>
    renderSetup({
      action: '/setup',
      csrf: text,
      setupToken: text,
      username: text,
      email: text,
      ownAddress: { address: href, href },
      minPasswordLength: 12,
      problem: text,
    }),
  invitation: ({ text, href }) =>
    renderInvitation({
      action: '/invitation',
      csrf: text,
      invitation: text,
      username: text,
      ownAddress: { address: href, href },
      minPasswordLength: 12,
      problem: text,
    }),
  'password chosen': ({ text, href }) => renderPasswordChosen({ username: text, loginHref: href }),
  login: ({ text, href }) =>
    renderLogin({
      action: '/login',
      csrf: text,
      username: text,
      problem: text,
      application: { name: text },
      cancelHref: href,
      providers: [{ name: text, href }],
    }),
  'confirmed login': ({ text, href }) =>
    renderLogin({
      action: '/login',
      csrf: text,
      username: text,
      reauthenticate: true,
      retryAfterSeconds: 40,
      cancelHref: href,
    }),
  'login confirmed elsewhere': ({ text, href }) =>
    renderLogin({
      action: '/login',
      csrf: text,
      username: text,
      problem: text,
      reference: { code: text, requestId: text },
      application: { name: text },
      reauthenticate: true,
      confirmWith: { name: text, href },
    }),
  consent: ({ text, href }) =>
    renderConsent({
      action: '/consent',
      csrf: text,
      application: { id: href, name: text, origin: text, logoUri: href },
      reach: 'members',
      username: text,
      scopes: [
        { name: text, meaning: text, isNew: true },
        { name: text, meaning: text, isNew: false },
      ],
    }),
  logout: ({ text, href }) =>
    renderLogout({
      action: '/connect/logout/confirm',
      csrf: text,
      username: text,
      application: { name: text },
      cancelHref: href,
    }),
  'logged out': ({ text, href }) => renderLoggedOut({ loginHref: href, application: { name: text, href } }),
  'logged out of applications': ({ text, href }) =>
    renderLoggedOut({
      loginHref: href,
      application: { name: text, href },
      applications: (['confirmed', 'waiting', 'failed', 'asked'] as const).map((state) => ({
        name: text,
        state,
      })),
      checkAgainHref: href,
    }),
  'logged out at a provider': ({ text, href }) =>
    renderLoggedOut({ loginHref: href, provider: { name: text, state: 'open', href } }),
  error: ({ text, href }) =>
    renderError({
      status: 400,
      code: text,
      title: text,
      detail: text,
      requestId: text,
      hint: text,
      actionHref: href,
      actionLabel: text,
    }),
  'device code': ({ text }) =>
    renderDeviceCode({ action: '/device', xsrf: text, userCode: text, problem: text }),
  'device question': ({ text }) =>
    renderDeviceConfirm({
      action: '/device',
      xsrf: text,
      userCode: text,
      application: text,
      device: { address: text, userAgent: text },
      username: text,
    }),
  'device signed in': () => renderDeviceDone({ outcome: 'allowed' }),
  account: ({ text }) =>
    renderAccount({
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
    }),
};

export const pageNames: readonly string[] = Object.keys(pages);

/** A page as it usually is. */
export function usualPage(name: string): string {
  return fillPage(name, { text: 'plain', href: '/somewhere' });
}

export function fillPage(name: string, filling: Filling): string {
  return pages[name]!(filling);
}
