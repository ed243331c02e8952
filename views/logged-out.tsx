import { safeHref } from './elements/href.ts';
import { Link } from './elements/link.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import { type LoggedOutApplication, LogoutOutcomes } from './logout-outcomes.tsx';
import type { Presentation } from './presentation.ts';

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
  const isAllOver = applications.every(({ state }) => state === 'confirmed' || state === 'asked');
  return (
    <NarrowPage title="You are signed out">
      <p class="lede">
        {isAllOver
          ? 'This session is over. On a shared computer, close the window as well.'
          : 'This session is over here. Some of the applications that you opened with it have not confirmed that it is over there too.'}
      </p>
      {applications.length > 0 && <LogoutOutcomes applications={applications} heading="h2" />}
      {provider && <Provider {...provider} />}
      {checkAgainHref !== undefined && (
        <p class="hint">
          You can close this page, or <Link href={checkAgainHref}>check again</Link>.
        </p>
      )}
      <div class="actions">
        {application && (
          <Link href={application.href} class="button primary">
            Back to {application.name}
          </Link>
        )}
        <Link href={loginHref} class={application ? 'button' : 'button primary'}>
          Sign in again
        </Link>
      </div>
      {frames.map((src) => (
        <SignOutFrame key={src} src={src} />
      ))}
    </NarrowPage>
  );
}

function Provider({ name, state, href }: LoggedOutProvider) {
  if (state === 'done') return <p>You are signed out at {name} too.</p>;
  return (
    <p>
      {state === 'next' ? (
        <>You signed in by {name}, and go on there now to sign out. Until then your session there is open.</>
      ) : (
        <>
          You signed in by <strong>{name}</strong>, and your session there may still be open: {name} has not
          confirmed that it is over. On a shared computer, sign out there too.
        </>
      )}{' '}
      {href !== undefined && <Link href={href}>Sign out at {name}</Link>}
      {href !== undefined && state === 'open' && (
        <>. Should {name} have shown an error, this asks it once more, and it may want you to confirm.</>
      )}
    </p>
  );
}

/** It may clear what the application keeps in this browser, and may not lead this page elsewhere. */
function SignOutFrame({ src }: { readonly src: string }) {
  const target = safeHref(src);
  if (target === undefined) return null;
  return (
    <iframe
      src={target}
      title="Sign-out of an application"
      hidden
      sandbox="allow-scripts allow-same-origin"
      referrerpolicy="no-referrer"
    />
  );
}
