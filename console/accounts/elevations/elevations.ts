/**
 * Elevations: somebody has a role for a while, which an administrator has said that they may take. What is open stands in
 * the account's record, and counts as long as its time lasts; what is stored beside it is for lists, and for who asks later.
 */
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { UserElevation, UserRecord } from '../../storage/records.ts';
import type { ArtifactStore, NamedArtifact } from '../../storage/storage.ts';
import { timeOrderedId } from '../../storage/time-ordered-id.ts';
import type { AccountRecords } from '../voiding.ts';
import { openElevation } from './effective-roles.ts';
import {
  type ElevationEnd,
  type ElevationRecord,
  elevationArtifact,
  elevationKind,
} from './elevation-record.ts';

export interface ElevationsDeps {
  readonly records: AccountRecords;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'list' | 'listByAccount'>;
  /** The longest. */
  readonly maxMinutes: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface AskedElevation {
  readonly role: string;
  readonly minutes: number;
  /** One line, for the audit and for other administrators. */
  readonly reason: string;
}

export type Elevations = ReturnType<typeof createElevations>;

const pageSize = 500;
const mostListed = 5000;

export function createElevations({ records, artifacts, maxMinutes, now }: ElevationsDeps) {
  return {
    maxMinutes,
    /**
     * What was issued before stays as it is: it has the roles of before.
     *
     * @throws {ProblemError} `invalid_request`, `forbidden` for a role that the person may not take, `conflict`
     */
    async begin(userId: string, { role, minutes, reason }: AskedElevation): Promise<ElevationRecord> {
      if (minutes > maxMinutes) {
        throw new ProblemError(problems.invalidRequest, `An elevation lasts ${maxMinutes} minutes at most.`);
      }
      return records.change(async (transaction) => {
        const user = await transaction.get('users', userId);
        checkMayBegin(user, role);
        const startedAt = now();
        const id = `elv_${timeOrderedId(startedAt).replaceAll('-', '')}`;
        const elevation = { id, role, reason, startedAt, endsAt: startedAt + minutes * 60_000 };
        transaction.put('users', { ...user, elevation });
        const record = { ...elevation, user: userId };
        const { artifact, ...name } = elevationArtifact(record);
        transaction.putArtifact(name, artifact);
        return record;
      });
    },
    /**
     * Ends it, and what was issued to the person, as a change of roles does.
     *
     * @param together  what the same commit stores
     * @throws {ProblemError} `not_found`; `conflict` for one that has ended
     */
    async end(
      id: string,
      end: Omit<ElevationEnd, 'at'>,
      { together = [], checkMayEnd }: EndTerms = {},
    ): Promise<ElevationRecord> {
      const { user: userId } = await find(id);
      return records.change(async (transaction) => {
        const user = await transaction.get('users', userId);
        if (user?.elevation?.id !== id) throw conflict('This elevation has ended already.');
        checkMayEnd?.(user);
        transaction.endElevation(user, end);
        for (const { artifact, ...name } of together) transaction.putArtifact(name, artifact);
        return { ...user.elevation, user: userId, end: { at: now(), ...end } };
      });
    },
    find,
    /** Of everybody, the oldest first, or of one. */
    async list(userId?: string): Promise<readonly ElevationRecord[]> {
      const found: ElevationRecord[] = [];
      let after: string | undefined;
      do {
        const page =
          userId === undefined
            ? await artifacts.list(elevationKind, pageSize, after)
            : await artifacts.listByAccount(elevationKind, userId, mostListed);
        found.push(...page.map(({ artifact }) => artifact.payload as unknown as ElevationRecord));
        after = userId === undefined && page.length === pageSize ? page.at(-1)!.key : undefined;
      } while (after !== undefined && found.length < mostListed);
      return found.sort((one, other) => (one.id < other.id ? -1 : 1));
    },
    /** Whether it is over, whoever has written that down. */
    isOver: ({ end, endsAt }: ElevationRecord): boolean => end !== undefined || endsAt <= now(),
    openOf: (user: UserRecord): UserElevation | undefined => openElevation(user, now()),
  };

  async function find(id: string): Promise<ElevationRecord> {
    const found = await artifacts.get(elevationKind, id);
    if (found) return found.payload as unknown as ElevationRecord;
    throw new ProblemError(problems.notFound, 'There is no such elevation.');
  }

  function checkMayBegin(user: UserRecord | undefined, role: string): asserts user is UserRecord {
    if (!user || user.disabled || !user.eligibleRoles?.includes(role)) {
      throw new ProblemError(
        problems.forbidden,
        `${JSON.stringify(role)} is not among the roles that you may take.`,
      );
    }
    if (user.roles.includes(role) || user.roles.includes('Admin')) {
      throw conflict(`What ${role} opens is yours already, and stays.`);
    }
    if (user.elevation === undefined) return;
    throw conflict(
      openElevation(user, now())
        ? `You have ${user.elevation.role} for a while already: end that first.`
        : 'Your last elevation is just being ended: sign in again in a moment.',
    );
  }
}

export interface EndTerms {
  readonly together?: readonly NamedArtifact[];
  /** Of the account as it is then. @throws {ProblemError} */
  readonly checkMayEnd?: (user: UserRecord) => void;
}

function conflict(detail: string): ProblemError {
  return new ProblemError(problems.conflict, detail);
}
