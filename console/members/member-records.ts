/** What is kept of members over a restart: which are drained, and which were discovered. */
import type { DiscoveredMember } from '../../member-proxy/members/members.ts';
import type { Registry } from '../storage/storage.ts';

export type MemberRecords = ReturnType<typeof createMemberRecords>;

const drainedId = 'drained-members';
const discoveredId = 'discovered-members';
/** A cluster has tens of them. */
const mostDiscovered = 200;

export function createMemberRecords(registry: Registry) {
  const drained = () => new Set((registry.get('settings', drainedId)?.value ?? []) as readonly string[]);

  return {
    /** `host:port` of those that get no calls but by their name. */
    drained,
    /** @returns whether it is new */
    drain: (host: string): Promise<boolean> =>
      change((hosts) => !hosts.has(host) && Boolean(hosts.add(host))),
    /** @returns whether it was drained */
    undrain: (host: string): Promise<boolean> => change((hosts) => hosts.delete(host)),
    discovered: (): readonly DiscoveredMember[] =>
      (registry.get('settings', discoveredId)?.value ?? []) as unknown as readonly DiscoveredMember[],
    async remember(members: readonly DiscoveredMember[]) {
      const value = members.slice(0, mostDiscovered);
      const known = registry.get('settings', discoveredId)?.value ?? [];
      if (JSON.stringify(known) === JSON.stringify(value)) return;
      await registry.update((transaction) => transaction.put('settings', { id: discoveredId, value }));
    },
    /** Tells that drained ones may have changed. @returns a function that ends the subscription */
    onChange: (listener: () => void): (() => void) =>
      registry.onChange((changed) => {
        if (changed.has('settings')) listener();
      }),
  };

  function change(make: (hosts: Set<string>) => boolean): Promise<boolean> {
    return registry.update((transaction) => {
      const hosts = new Set((transaction.get('settings', drainedId)?.value ?? []) as readonly string[]);
      const hasChanged = make(hosts);
      if (hasChanged) transaction.put('settings', { id: drainedId, value: [...hosts].sort() });
      return hasChanged;
    });
  }
}
