/** The CP subsystem of a member that stands alone: its groups, their members and sessions. */
import { OperationFailedError } from '../operation-failed.ts';
import { type CpGroups, createCpGroups, isMetadata } from './cp-groups.ts';
import { createCpSessions, type SessionOwner } from './cp-sessions.ts';

/** A CP member; on one machine there is one at most, this member. */
export interface CpMember {
  readonly uuid: string;
  /** `[<ip>]:<port>`. */
  readonly address: string;
}

/**
 * The CP subsystem of a cluster of one. It is off at a CP member count of 0, works at 1, and at more waits
 * for members that will not come: then nothing of it can be asked or done.
 */
export interface CpSubsystem {
  /** This member, when it is a CP member. @throws {OperationFailedError} when the CP subsystem is off */
  localMember(): CpMember | undefined;
  /** @throws {OperationFailedError} when it is off or has too few members, as all below */
  members(): readonly CpMember[];
  groups(): CpGroups;
  /** Makes this member a CP member, which it is. */
  promote(): void;
  /** @returns `false` when there is no such CP member. @throws {OperationFailedError} for the last one */
  removeMember(uuid: string): boolean;
  /** Forgets all groups and sessions and begins anew. */
  reset(): void;
  /**
   * Opens a session in a group, which is made if need be. HTTP has no call for it, as in the real engine,
   * where CP clients do it; here that is for who has the member in its own process.
   *
   * @throws {OperationFailedError} for METADATA
   */
  openSession(owner: SessionOwner & { readonly group?: string }): OpenedSession;
}

export interface OpenedSession {
  readonly id: number;
  /** @returns `false` once the session has expired or been closed */
  heartbeat(): boolean;
  /** @returns `false` when it was no longer there */
  close(): boolean;
}

export interface CpSubsystemDeps {
  readonly local: CpMember;
  readonly memberCount: number;
  readonly sessionTimeToLiveSeconds: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createCpSubsystem(deps: CpSubsystemDeps): CpSubsystem {
  const { local, memberCount, sessionTimeToLiveSeconds, now } = deps;
  const allGroups = createCpGroups(() =>
    createCpSessions({ timeToLiveMs: sessionTimeToLiveSeconds * 1000, now }),
  );

  function assertOn(): void {
    if (memberCount === 0) throw new OperationFailedError('CP Subsystem is not enabled!');
  }
  function assertComplete(): void {
    assertOn();
    if (memberCount === 1) return;
    throw new OperationFailedError(`CP Subsystem waits for ${memberCount} CP members and has 1`);
  }
  function groups(): CpGroups {
    assertComplete();
    return allGroups;
  }

  return {
    localMember() {
      assertOn();
      return memberCount === 1 ? local : undefined;
    },
    members() {
      assertComplete();
      return [local];
    },
    groups,
    promote: assertComplete,
    removeMember(uuid) {
      assertComplete();
      if (uuid.toLowerCase() !== local.uuid) return false;
      throw new OperationFailedError('the last CP member cannot be removed');
    },
    reset: () => groups().reset(),
    openSession({ group = 'default', ...owner }) {
      if (isMetadata(group)) throw new OperationFailedError('METADATA takes no sessions');
      const sessions = groups().open(group).sessions!; // only METADATA has none
      const { id } = sessions.open(owner);
      return { id, heartbeat: () => sessions.heartbeat(id), close: () => sessions.remove(id) };
    },
  };
}
