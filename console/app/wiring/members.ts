/** The member surface of the console: what ends a token here ends the calls that wait with it. */

import { createRoleBook } from '../../../member-proxy/authorization/role-permissions.ts';
import type { MemberProxy } from '../../../member-proxy/proxy.ts';
import { createMemberSurface } from '../../server/member-surface.ts';
import type { Shared } from './shared.ts';

/** A change of these may void tokens of calls under way. */
const voiding = ['users', 'clients', 'providers'] as const;

/** @param members  base addresses */
export function composeMembers(shared: Shared, members: readonly string[]): MemberProxy {
  const { revocations, storage, settings, roles, denials, memberRecords } = shared.services;
  const proxy = createMemberSurface({
    ...shared,
    settings,
    members,
    roles: createRoleBook({
      customPermissions: roles.permissionsOf,
      onChange: (listener) =>
        storage.registry.onChange((changed) => {
          if (changed.has('roles')) listener();
        }),
    }),
    onDenial: denials.record,
    remembered: memberRecords.discovered(),
    onDiscovered(discovered) {
      memberRecords
        .remember(discovered)
        .catch((err: unknown) => shared.log.warn({ err }, 'discovered members could not be remembered'));
    },
  });
  const followDrained = () => proxy.drain(memberRecords.drained());
  followDrained();
  const unsubscribe = [
    memberRecords.onChange(followDrained),
    revocations.onRevoked(proxy.recheck),
    storage.registry.onChange((changed) => {
      if (voiding.some((collection) => changed.has(collection))) proxy.recheck();
    }),
  ];
  return {
    ...proxy,
    close() {
      for (const stop of unsubscribe) stop();
      return proxy.close().then(denials.close);
    },
  };
}
