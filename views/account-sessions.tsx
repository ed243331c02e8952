import { Form } from './elements/form.tsx';
import { Link } from './elements/link.tsx';
import { Section } from './elements/section.tsx';
import { Time } from './elements/time.tsx';
import { nameBrowser } from './elements/user-agent.ts';

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
  const about = `End what you do not know${hasPassword ? ', then change your password' : ''}.`;
  return (
    <Section id="sessions" title="Sessions" about={about}>
      {sessions.length === 0 ? (
        <p class="empty">No open session.</p>
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
            More sessions
          </Link>
        </div>
      )}
    </Section>
  );
}

function Session({ isCurrent, startedAt, clientAddress, userAgent }: SessionRow) {
  return (
    <div class="session-text">
      <h3>
        {nameBrowser(userAgent)}
        {isCurrent && <span class="tag">This one</span>}
      </h3>
      <p class="muted">
        Since <Time at={startedAt} />
        {clientAddress && (
          <>
            , from <span class="code">{clientAddress}</span>
          </>
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
  return (
    <Form action={action} hidden={{ csrf, session: session.key }}>
      <button type="submit" class="button small">
        End<span class="unseen"> the session of {nameBrowser(session.userAgent)}</span>
      </button>
    </Form>
  );
}
