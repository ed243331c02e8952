import { AccountDisplay } from './account-display.tsx';
import { AccountPassword } from './account-password.tsx';
import { AccountSessions, type SessionRow } from './account-sessions.tsx';
import type { Language } from './elements/moment.ts';
import { Section } from './elements/section.tsx';
import { Time } from './elements/time.tsx';
import { renderDocument, type SignOutForm, WidePage } from './layout.tsx';
import { type LoggedOutApplication, LogoutOutcomes } from './logout-outcomes.tsx';
import { Framed, type FrameModel } from './management/frame.tsx';
import { Notice, Problem } from './message.tsx';
import type { Presentation } from './presentation.ts';
import { Said, Text, useText } from './texts/elements.tsx';
import { retryText } from './texts/retry.ts';

/** Home of whoever is signed in: who they are here, where they are signed in, their password. */
interface ShownApplication {
  readonly name: string;
  /** Its home page. */
  readonly clientUri?: string | undefined;
  readonly since?: Date | undefined;
}

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
  readonly applications: readonly ShownApplication[];
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
  /** Takes `theme`, `zone`, `language` and `csrf`. */
  readonly displayAction: string;
  /** That this person has chosen; undefined: that of the browser. */
  readonly language?: Language | undefined;
  /** That can be chosen. */
  readonly zones: readonly string[];
  /** What the applications of a session that has just been ended here have made of its end. */
  readonly ended?: readonly LoggedOutApplication[] | undefined;
  /** As the console says it, in English. */
  readonly problem?: string | undefined;
  /** When what was a problem can be tried again, seconds. */
  readonly problemRetry?: number | undefined;
  readonly notice?: string | undefined;
}

export function renderAccount(model: AccountModel, presentation?: Presentation): string {
  return renderDocument(<Account {...model} />, presentation);
}

function Account(model: AccountModel) {
  const t = useText();
  const { frame, username, signOut, problem } = model;
  const page = { title: t('common.yourAccount'), hasProblem: problem !== undefined };
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
  const t = useText();
  const { username, email, csrf, problem, problemRetry, notice, ended = [] } = model;
  return (
    <>
      <header class="page-head">
        <h1>{username}</h1>
        <p class="lede">{email ?? t('account.noEmailAddress')}</p>
      </header>
      {problem && (
        <Problem id="problem">
          <Said>{problem}</Said>
          {problemRetry !== undefined && ` ${retryText(t, problemRetry)}`}
        </Problem>
      )}
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
      <AccountDisplay
        action={model.displayAction}
        csrf={csrf}
        zones={model.zones}
        language={model.language}
      />
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
  const t = useText();
  return (
    <Section id="ended" title={t('account.theEndedSession')} about={t('account.applicationsWereOpened')}>
      <LogoutOutcomes applications={applications} heading="h3" />
    </Section>
  );
}

function SignIn({ signedInAt, sessionEndsAt, lastLoginAt, providerName }: AccountModel) {
  const t = useText();
  return (
    <Section id="sign-in" title={t('account.thisSession')} about={t('account.endsItselfWhenYou')}>
      <dl class="facts boxed">
        {providerName !== undefined && (
          <div>
            <dt>{t('common.signedInWith')}</dt>
            <dd>
              {providerName}
              <p class="muted">{t('account.yourPasswordKeptChanged')}</p>
            </dd>
          </div>
        )}
        <div>
          <dt>{t('account.signedIn')}</dt>
          <dd>
            <Time at={signedInAt} />
          </dd>
        </div>
        <div>
          <dt>{t('common.expires')}</dt>
          <dd>
            <Time at={sessionEndsAt} />
          </dd>
        </div>
        <div>
          <dt>{t('common.lastSignIn')}</dt>
          <dd>{lastLoginAt ? <Time at={lastLoginAt} /> : t('account.firstSignIn')}</dd>
        </div>
      </dl>
    </Section>
  );
}

function Roles({ roles, elevation, mayTakeRoles = false }: AccountModel) {
  const t = useText();
  return (
    <Section id="roles" title={t('common.roles')} about={t('account.whatYouMayDo')}>
      {roles.length === 0 ? (
        <p class="empty">{t('account.youNoRoleYet')}</p>
      ) : (
        <ul class="rows boxed">
          {roles.map(({ name, meaning }) => (
            <li key={name}>
              <h3>{name}</h3>
              <p class="muted">
                <Said>{meaning}</Said>
              </p>
            </li>
          ))}
        </ul>
      )}
      {elevation && (
        <p>
          <Text
            id="account.youHaveUntil"
            gaps={{
              role: <bdi>{elevation.role}</bdi>,
              endsAt: <Time at={elevation.endsAt} />,
              link: <a href="/account/elevation">{t('account.lookEnd')}</a>,
            }}
          />
        </p>
      )}
      {!elevation && mayTakeRoles && (
        <p>
          <a class="button" href="/account/elevation">
            {t('common.takeRoleWhile')}
          </a>
        </p>
      )}
    </Section>
  );
}

function Applications({ applications }: AccountModel) {
  const t = useText();
  return (
    <Section id="applications" title={t('common.applications')} about={t('account.whereYouSignedAccount')}>
      {applications.length === 0 ? (
        <p class="empty">{t('account.noneSoFar')}</p>
      ) : (
        <ul class="rows boxed">
          {applications.map(({ name, clientUri, since }) => (
            <li key={name}>
              <h3>{clientUri === undefined ? name : <a href={clientUri}>{name}</a>}</h3>
              {since && (
                <p class="muted">
                  <Text id="account.since" gaps={{ since: <Time at={since} /> }} />
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
