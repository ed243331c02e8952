/**
 * The member surface of the console (`/svc/`, `/members/`, `/hazelcast/`): what ends a token here ends the calls that wait
 * with it. Its addresses are `member-proxy/authorization/rule-table.ts`, since what a call needs stands there.
 */
import { createRoleBook } from '../../member-proxy/authorization/role-permissions.ts';
import type { CallRecord, MemberProxy, UsedCall } from '../../member-proxy/proxy.ts';
import { createMemberSurface, type MemberSurfaceDeps } from '../server/member-surface.ts';
import type { Storage } from '../storage/storage.ts';
import type { CalledKeys } from './called-keys.ts';
import type { CalledStructures } from './called-structures.ts';
import type { MemberRecords } from './member-records.ts';

export interface MembersNeeds
  extends Pick<MemberSurfaceDeps, 'settings' | 'bearer' | 'log' | 'audit' | 'addressOf'> {
  readonly metrics: MemberSurfaceDeps['metrics'] & { followInFlight(read: MemberProxy['statuses']): void };
  readonly storage: Pick<Storage, 'registry'>;
  readonly telemetry: { readonly calls: MemberSurfaceDeps['tracing'] } | undefined;
  readonly memberRecords: MemberRecords;
  readonly calledStructures: Pick<CalledStructures, 'record'>;
  readonly calledKeys: Pick<CalledKeys, 'record'>;
  readonly recentCalls: { record(call: CallRecord): void };
  readonly openCalls: { follow(proxy: Pick<MemberProxy, 'waitingCalls'>): void };
  readonly usage: { readonly isOn: boolean; count(call: UsedCall): void };
  readonly roles: { permissionsOf(role: string): readonly string[] | undefined };
  readonly revocations: {
    onRevoked(listener: () => void): () => void;
    onVoided(listener: () => void): () => void;
  };
  /** Denials, for those who ask why. */
  readonly denials: { readonly record: MemberSurfaceDeps['onDenial']; flush(): Promise<void> };
}

/**
 * @param members    base addresses
 * @param processes  how many share the limits
 */
export function createMembersModule(
  needs: MembersNeeds,
  members: readonly string[],
  processes: number,
): MemberProxy {
  const { revocations, storage, roles, denials, memberRecords, usage, log } = needs;
  const { calledStructures, calledKeys, recentCalls } = needs;
  const proxy = createMemberSurface({
    ...needs,
    members,
    processes,
    roles: createRoleBook({
      customPermissions: roles.permissionsOf,
      onChange: (listener) =>
        storage.registry.onChange((changed) => {
          if (changed.has('roles')) listener();
        }),
    }),
    onDenial: denials.record,
    onCall(call) {
      calledStructures.record(call);
      calledKeys.record(call);
      recentCalls.record(call);
    },
    ...(usage.isOn && { onUse: usage.count }),
    tracing: needs.telemetry?.calls,
    remembered: memberRecords.discovered(),
    onDiscovered(discovered) {
      memberRecords
        .remember(discovered)
        .catch((err: unknown) => log.warn({ err }, 'discovered members could not be remembered'));
    },
  });
  needs.openCalls.follow(proxy);
  needs.metrics.followInFlight(proxy.statuses);
  const followDrained = () => proxy.drain(memberRecords.drained());
  followDrained();
  const stopFollowing = [
    memberRecords.onChange(followDrained),
    revocations.onRevoked(proxy.recheck),
    revocations.onVoided(proxy.recheck),
  ];
  return {
    ...proxy,
    close() {
      for (const stop of stopFollowing) stop();
      return proxy.close().then(denials.flush);
    },
  };
}
