/** What the store has of an elevation, from its begin until thirty days after: also when the account is gone. */
import type { UserElevation, UserRecord } from '../../storage/records.ts';
import type { NamedArtifact } from '../../storage/storage.ts';

/** Why it ended: in its time, by the person, by somebody else, or with what it hung on. */
export const elevationCauses = [
  'expired',
  'ended_by_person',
  'ended_by_other',
  'eligibility_removed',
  'password_changed',
  'account_disabled',
  'account_removed',
] as const;
export type ElevationCause = (typeof elevationCauses)[number];

export interface ElevationRecord extends UserElevation {
  /** Whose it is, a subject. */
  readonly user: string;
  readonly end?: ElevationEnd;
}

export interface ElevationEnd {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly cause: ElevationCause;
  /** Who ended it, where somebody did: a subject, a client or `local:<user>`. */
  readonly by?: string | undefined;
}

export const elevationKind = 'Elevation';

const storedSeconds = 30 * 86_400;

/** For the commit that begins or ends it. */
export function elevationArtifact(record: ElevationRecord): NamedArtifact {
  const payload = { ...record } as unknown as Readonly<Record<string, unknown>>;
  const expiresAt = Math.floor(record.endsAt / 1000) + storedSeconds;
  return { kind: elevationKind, id: record.id, artifact: { payload, expiresAt, accountId: record.user } };
}

/** Of one that a change of its account has ended, of which nothing else was said. */
export function causeOf(before: UserRecord | undefined, after: UserRecord | undefined): ElevationCause {
  if (after === undefined) return 'account_removed';
  if (after.disabled) return 'account_disabled';
  return before?.passwordHash === after.passwordHash ? 'eligibility_removed' : 'password_changed';
}

/** What a change of an account has made of its elevation, for the audit: nothing, or one line. */
export function endsBetween(before: UserRecord | undefined, after: UserRecord | undefined) {
  const { elevation } = before ?? {};
  if (!before || elevation === undefined || elevation.id === after?.elevation?.id) return [];
  return [saidOfEnd({ ...elevation, user: before.id }, causeOf(before, after))];
}

/** The entry of an end. */
export function saidOfEnd({ id, role, reason, user }: ElevationRecord, cause: ElevationCause) {
  return { event: 'elevation.ended', target: id, elevation: id, role, user, reason, cause };
}
