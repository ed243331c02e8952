import { AccountDisplay } from './account-display.tsx';
import { AccountPassword } from './account-password.tsx';
import { AccountSessions, type SessionRow } from './account-sessions.tsx';
import { Section } from './elements/section.tsx';
import { Time } from './elements/time.tsx';
import { renderDocument, type SignOutForm, WidePage } from './layout.tsx';
import { type LoggedOutApplication, LogoutOutcomes } from './logout-outcomes.tsx';
import { Framed, type FrameModel } from './management/frame.tsx';
import { Notice, Problem } from './message.tsx';
import type { Presentation } from './presentation.ts';

/** Home of whoever is signed in: who they are here, where they are signed in, their password. */
export interface AccountModel {
  /** Of somebody who may open management pages. */
  readonly frame?: FrameModel | undefined;
  readonly username: string;
  readonly email?: string | undefined;
  readonly roles: readonly { readonly name: string; readonly meaning: string }[];
  /** A role of these that is there for a while. */
  readonly elevation?: { readonly role: string; readonly endsAt: Date } | undefined;
  /** There are roles that can be taken for a while. */
  readonly mayTakeRoles?: boolean;
  readonly signedInAt: Date;
  readonly sessionEndsAt: Date;
  /** The sign-in before this one. */
  readonly lastLoginAt?: Date | undefined;
  /** Applications that this account has signed in to. */
  readonly applications: readonly { readonly name: string; readonly since?: Date | undefined }[];
  readonly sessions: readonly SessionRow[];
  /** Where the list of sessions goes on. */
  readonly moreSessionsHref?: string | undefined;
  readonly signOut: SignOutForm;
  readonly csrf: string;
  /** Takes `current_password`, `password`, `password_again`, `csrf`; none when the password is kept elsewhere. */
  readonly passwordAction: string | undefined;
  /** Who signs this account in, when it is not this console. */
  readonly providerName?: string | undefined;
  /** Takes `session` (a key of `sessions`) and `csrf`. */
  readonly endSessionAction: string;
  readonly minPasswordLength: number;
  /** Takes `theme`, `zone` and `csrf`. */
  readonly displayAction: string;
  /** That can be chosen. */
  readonly zones: readonly string[];
  /** What the applications of a session that has just been ended here have made of its end. */
  readonly ended?: readonly LoggedOutApplication[] | undefined;
  readonly problem?: string | undefined;
  readonly notice?: string | undefined;
}

export function renderAccount(model: AccountModel, presentation?: Presentation): string {
  return renderDocument(<Account {...model} />, presentation);
}

function Account(model: AccountModel) {
  const { frame, username, signOut, problem } = model;
  const page = { title: 'Your account', hasProblem: problem !== undefined };
  if (frame) {
    return (
      <Framed {...page} frame={frame}>
        <Content {...model} />
      </Framed>
    );
  }
  return (
    <WidePage {...page} username={username} signOut={signOut}>
      <Content {...model} />
    </WidePage>
  );
}

function Content(model: AccountModel) {
  const { username, email, csrf, problem, notice, ended = [] } = model;
  return (
    <>
      <header class="page-head">
        <h1>{username}</h1>
        <p class="lede">{email ?? 'No email address'}</p>
      </header>
      {problem && <Problem id="problem">{problem}</Problem>}
      {notice && <Notice>{notice}</Notice>}
      {ended.length > 0 && <Ended applications={ended} />}
      <SignIn {...model} />
      <Roles {...model} />
      <AccountSessions
        sessions={model.sessions}
        moreHref={model.moreSessionsHref}
        action={model.endSessionAction}
        csrf={csrf}
        hasPassword={model.passwordAction !== undefined}
      />
      <Applications {...model} />
      <AccountDisplay action={model.displayAction} csrf={csrf} zones={model.zones} />
      {model.passwordAction !== undefined && (
        <AccountPassword
          action={model.passwordAction}
          csrf={csrf}
          username={username}
          minLength={model.minPasswordLength}
        />
      )}
    </>
  );
}

function Ended({ applications }: { readonly applications: readonly LoggedOutApplication[] }) {
  return (
    <Section id="ended" title="The ended session" about="Applications that were opened with it.">
      <LogoutOutcomes applications={applications} heading="h3" />
    </Section>
  );
}

function SignIn({ signedInAt, sessionEndsAt, lastLoginAt, providerName }: AccountModel) {
  return (
    <Section id="sign-in" title="This session" about="It ends by itself, or when you sign out.">
      <dl class="facts boxed">
        {providerName !== undefined && (
          <div>
            <dt>Signed in with</dt>
            <dd>
              {providerName}
              <p class="muted">Your password is kept and changed there.</p>
            </dd>
          </div>
        )}
        <div>
          <dt>Signed in</dt>
          <dd>
            <Time at={signedInAt} />
          </dd>
        </div>
        <div>
          <dt>Expires</dt>
          <dd>
            <Time at={sessionEndsAt} />
          </dd>
        </div>
        <div>
          <dt>Last sign-in</dt>
          <dd>{lastLoginAt ? <Time at={lastLoginAt} /> : 'First sign-in'}</dd>
        </div>
      </dl>
    </Section>
  );
}

function Roles({ roles, elevation, mayTakeRoles = false }: AccountModel) {
  return (
    <Section id="roles" title="Roles" about="What you may do here and at the members.">
      {roles.length === 0 ? (
        <p class="empty">You have no role yet. An administrator can give you one.</p>
      ) : (
        <ul class="rows boxed">
          {roles.map(({ name, meaning }) => (
            <li key={name}>
              <h3>{name}</h3>
              <p class="muted">{meaning}</p>
            </li>
          ))}
        </ul>
      )}
      {elevation && (
        <p>
          You have <bdi>{elevation.role}</bdi> until <Time at={elevation.endsAt} />.{' '}
          <a href="/account/elevation">Look at it, or end it</a>
        </p>
      )}
      {!elevation && mayTakeRoles && (
        <p>
          <a class="button" href="/account/elevation">
            Take a role for a while
          </a>
        </p>
      )}
    </Section>
  );
}

function Applications({ applications }: AccountModel) {
  return (
    <Section id="applications" title="Applications" about="Where you have signed in with this account.">
      {applications.length === 0 ? (
        <p class="empty">None so far.</p>
      ) : (
        <ul class="rows boxed">
          {applications.map(({ name, since }) => (
            <li key={name}>
              <h3>{name}</h3>
              {since && (
                <p class="muted">
                  Since <Time at={since} />
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
