/** What a person may call at the members, in short, and where they are signed in. */
import { Text, useText } from '../../texts/elements.tsx';
import type { Translate } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import { effectiveHref } from './effective.tsx';

/** Calls of one kind of structure or part of the cluster, of which at least some are open. */
export interface OpenCalls {
  readonly group: string;
  readonly actions: readonly {
    readonly action: string;
    /** Of maps or queues; empty: of all. */
    readonly names: readonly string[];
    /** Some calls of it are open and others are not. */
    readonly isSome: boolean;
    /** No member has its endpoint group on. */
    readonly isOff: boolean;
  }[];
}

export interface OpenSessions {
  readonly value: number;
  readonly isExact: boolean;
  /** When the one that was used last was seen. */
  readonly latestAt: string | undefined;
}

/** Effective access, with the row of this person and the question about one of their calls. */
export function effectiveHrefOf(user: string): string {
  return `${effectiveHref}?${new URLSearchParams({ show: 'users', q: user, as: 'user', who: user })}`;
}

/** In one sentence: the grid of all calls is a link away. */
export function CallsOf({ user, calls }: { readonly user: string; readonly calls: readonly OpenCalls[] }) {
  const t = useText();
  const groups = calls.map(
    ({ group, actions }) => `${group}: ${actions.map((action) => actionText(action, t)).join(', ')}`,
  );
  return (
    <>
      <bdi>{groups.length === 0 ? t('users.mayCallNothing') : groups.join('; ')}</bdi>{' '}
      <a href={effectiveHrefOf(user)}>{t('common.effectiveAccess')}</a>
    </>
  );
}

const mostNames = 5;

function actionText({ action, names, isSome, isOff }: OpenCalls['actions'][number], t: Translate): string {
  const more = names.length > mostNames ? [t('access.more', { n: names.length - mostNames })] : [];
  const some = names.length === 0 && isSome ? [t('effective.some')] : [];
  const which = [...names.slice(0, mostNames), ...more, ...some].join(', ');
  const what = which === '' ? action : `${action} (${which})`;
  return isOff ? t('effective.offEverywhere', { what }) : what;
}

export function SessionsOf({
  user,
  sessions,
  now,
}: {
  readonly user: string;
  /** Absent for who may not see them. */
  readonly sessions: OpenSessions | undefined;
  readonly now: Date;
}) {
  const t = useText();
  const href = `/access/sessions?user=${encodeURIComponent(user)}`;
  if (!sessions) return <a href={href}>{t('access.openSessions')}</a>;
  const { value, isExact, latestAt } = sessions;
  if (value === 0) return <span class="muted">{t('users.notSignedIn')}</span>;
  const open = (
    <a href={href}>
      {t(isExact ? 'applications.openSessions' : 'applications.openSessionsAtLeast', { n: value })}
    </a>
  );
  if (latestAt === undefined) return open;
  return <Text id="users.sessionsLatest" gaps={{ open, ago: <Ago at={new Date(latestAt)} now={now} /> }} />;
}
