import { Form } from './elements/form.tsx';
import { Link } from './elements/link.tsx';
import { Section } from './elements/section.tsx';
import { Time } from './elements/time.tsx';
import { nameBrowser } from './elements/user-agent.ts';
import { Text, useText } from './texts/elements.tsx';

export interface SessionRow {
  /** Names the session in the form field `session`; not the session id itself. */
  readonly key: string;
  readonly isCurrent: boolean;
  readonly startedAt: Date;
  readonly clientAddress?: string | undefined;
  /** The browser's `User-Agent` as received. */
  readonly userAgent?: string | undefined;
}

interface AccountSessionsProps {
  readonly sessions: readonly SessionRow[];
  readonly moreHref: string | undefined;
  readonly action: string;
  readonly csrf: string;
  /** Whether there is a password of this account here. */
  readonly hasPassword: boolean;
}

/** Where somebody is signed in, with a button to end each session but this one (S34). */
export function AccountSessions({ sessions, moreHref, action, csrf, hasPassword }: AccountSessionsProps) {
  const t = useText();
  const about = hasPassword ? t('account.sessionsAboutPassword') : t('account.sessionsAbout');
  return (
    <Section id="sessions" title={t('common.sessions')} about={about}>
      {sessions.length === 0 ? (
        <p class="empty">{t('account.noOpenSession')}</p>
      ) : (
        <ul class="rows boxed">
          {sessions.map((session) => (
            <li key={session.key} class="session">
              <Session {...session} />
              {!session.isCurrent && <EndSession session={session} action={action} csrf={csrf} />}
            </li>
          ))}
        </ul>
      )}
      {moreHref !== undefined && (
        <div class="actions">
          <Link href={moreHref} class="button">
            {t('account.moreSessions')}
          </Link>
        </div>
      )}
    </Section>
  );
}

function Session({ isCurrent, startedAt, clientAddress, userAgent }: SessionRow) {
  const t = useText();
  return (
    <div class="session-text">
      <h3>
        {nameBrowser(userAgent, t)}
        {isCurrent && <span class="tag">{t('account.thisOne')}</span>}
      </h3>
      <p class="muted">
        {clientAddress ? (
          <Text
            id="account.sinceFrom"
            gaps={{ at: <Time at={startedAt} />, address: <span class="code">{clientAddress}</span> }}
          />
        ) : (
          <Text id="account.since" gaps={{ since: <Time at={startedAt} /> }} />
        )}
      </p>
    </div>
  );
}

interface EndSessionProps {
  readonly session: SessionRow;
  readonly action: string;
  readonly csrf: string;
}

function EndSession({ session, action, csrf }: EndSessionProps) {
  const t = useText();
  return (
    <Form action={action} hidden={{ csrf, session: session.key }}>
      <button type="submit" class="button small">
        <Text
          id="account.endSession"
          gaps={{
            ofWhich: (
              <span class="unseen">
                {t('account.theSessionOf', { userAgent: nameBrowser(session.userAgent, t) })}
              </span>
            ),
          }}
        />
      </button>
    </Form>
  );
}
