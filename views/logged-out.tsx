import { safeHref } from './elements/href.ts';
import { Link } from './elements/link.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import { type LoggedOutApplication, LogoutOutcomes } from './logout-outcomes.tsx';
import type { Presentation } from './presentation.ts';
import { Text, useText } from './texts/elements.tsx';

/** `next`: the page goes on there by itself. `open`: for all that is known, the session there lives. */
export interface LoggedOutProvider {
  readonly name: string;
  readonly state: 'next' | 'open' | 'done';
  /** To sign out there. */
  readonly href?: string | undefined;
}

export interface LoggedOutModel {
  readonly loginHref: string;
  /** Where the sign-out came from, to go back there. */
  readonly application?: { readonly name: string; readonly href: string } | undefined;
  /** What each application of the session has made of its end. */
  readonly applications?: readonly LoggedOutApplication[];
  /** The upstream provider with which the session began. */
  readonly provider?: LoggedOutProvider | undefined;
  /** Addresses that end sessions of this browser (OpenID Connect Front-Channel Logout 1.0 §2). */
  readonly frames?: readonly string[];
  /** This page again, while there are answers to come. */
  readonly checkAgainHref?: string | undefined;
}

/** The end of a session; nothing left to send. */
export function renderLoggedOut(model: LoggedOutModel, presentation?: Presentation): string {
  return renderDocument(<LoggedOut {...model} />, presentation);
}

function LoggedOut({
  loginHref,
  application,
  applications = [],
  provider,
  frames = [],
  checkAgainHref,
}: LoggedOutModel) {
  const t = useText();
  const isAllOver = applications.every(({ state }) => state === 'confirmed' || state === 'asked');
  return (
    <NarrowPage title={t('loggedOut.title')}>
      <p class="lede">{t(isAllOver ? 'loggedOut.over' : 'loggedOut.partly')}</p>
      {applications.length > 0 && <LogoutOutcomes applications={applications} heading="h2" />}
      {provider && <Provider {...provider} />}
      {checkAgainHref !== undefined && (
        <p class="hint">
          <Text
            id="loggedOut.check"
            gaps={{ check: <Link href={checkAgainHref}>{t('loggedOut.checkAgain')}</Link> }}
          />
        </p>
      )}
      <div class="actions">
        {application && (
          <Link href={application.href} class="button primary">
            {t('loggedOut.back', { application: application.name })}
          </Link>
        )}
        <Link href={loginHref} class={application ? 'button' : 'button primary'}>
          {t('loggedOut.signInAgain')}
        </Link>
      </div>
      {frames.map((src) => (
        <SignOutFrame key={src} src={src} />
      ))}
    </NarrowPage>
  );
}

function Provider({ name, state, href }: LoggedOutProvider) {
  const t = useText();
  const gaps = { provider: state === 'open' ? <strong>{name}</strong> : name, name };
  if (state === 'done') return <p>{t('loggedOut.providerDone', { provider: name })}</p>;
  return (
    <p>
      <Text id={state === 'next' ? 'loggedOut.providerNext' : 'loggedOut.providerOpen'} gaps={gaps} />{' '}
      {href !== undefined && <Link href={href}>{t('loggedOut.providerAt', { provider: name })}</Link>}
      {href !== undefined && state === 'open' && `. ${t('loggedOut.providerError', { provider: name })}`}
    </p>
  );
}

/** It may clear what the application keeps in this browser, and may not lead this page elsewhere. */
function SignOutFrame({ src }: { readonly src: string }) {
  const t = useText();
  const target = safeHref(src);
  if (target === undefined) return null;
  return (
    <iframe
      src={target}
      title={t('loggedOut.frame')}
      hidden
      sandbox="allow-scripts allow-same-origin"
      referrerpolicy="no-referrer"
    />
  );
}
