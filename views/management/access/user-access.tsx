/** What a person or a role may call at the members, in short, and where the person is signed in. */
import { Text, useText } from '../../texts/elements.tsx';
import type { Translate } from '../../texts/text.ts';
import { Ago } from '../ago.tsx';
import type { Fact } from '../detail.tsx';
import { isNotRead, type NotRead, NotReadText } from '../live/not-read.tsx';
import { effectiveHref } from './effective/effective.tsx';

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

/** The same for a role: what whoever has it alone may call. */
export function effectiveHrefOfRole(role: string): string {
  return `${effectiveHref}?${new URLSearchParams({ show: 'roles', q: role })}`;
}

/** In one sentence: the grid of all calls is a link away. */
export function CallsOf({
  href,
  calls,
}: {
  readonly href: string;
  readonly calls: readonly OpenCalls[] | NotRead;
}) {
  const t = useText();
  if (isNotRead(calls)) return <NotReadText {...calls} />;
  const groups = calls.map(
    ({ group, actions }) => `${group}: ${actions.map((action) => actionText(action, t)).join(', ')}`,
  );
  return (
    <>
      <bdi>{groups.length === 0 ? t('users.mayCallNothing') : groups.join('; ')}</bdi>{' '}
      <a href={href}>{t('common.effectiveAccess')}</a>
    </>
  );
}

/** A role that a person has for a while, as the admin API has it. */
export interface OpenElevation {
  readonly id: string;
  readonly role: string;
  readonly reason: string;
  readonly endsAt: string;
}

interface ElevationsModel {
  readonly user: { readonly id: string; readonly eligibleRoles: readonly string[] };
  readonly frame: { readonly now: Date };
  readonly elevations?: readonly OpenElevation[] | NotRead | undefined;
  readonly mayEndElevations: boolean;
}

/** Roles for a while: those that the person may take, and those that were taken. */
export function elevationFacts(model: ElevationsModel, t: Translate): readonly Fact[] {
  const { user, elevations = [] } = model;
  return [
    ...(user.eligibleRoles.length === 0
      ? []
      : [{ name: t('users.mayTake'), value: <bdi>{user.eligibleRoles.join(', ')}</bdi> }]),
    ...(isNotRead(elevations)
      ? [{ name: t('users.hasForWhile'), value: <NotReadText {...elevations} /> }]
      : elevations.map((elevation) => ({
          name: t('users.hasForWhile'),
          value: <Elevation {...model} elevation={elevation} />,
        }))),
  ];
}

function Elevation({
  user,
  frame,
  elevation: { id, role, reason, endsAt },
  mayEndElevations,
}: ElevationsModel & { readonly elevation: OpenElevation }) {
  return (
    <>
      <Text
        id="users.roleUntil"
        gaps={{
          role: <bdi>{role}</bdi>,
          when: <Ago at={new Date(endsAt)} now={frame.now} />,
          reason: <bdi>{reason}</bdi>,
        }}
      />{' '}
      {mayEndElevations && (
        <a
          href={`/access/users/${encodeURIComponent(user.id)}?do=end-elevation&elevation=${encodeURIComponent(id)}`}
        >
          <Text id="users.endElevation" gaps={{ ofWhich: <span class="unseen">{`: ${role}`}</span> }} />
        </a>
      )}
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
