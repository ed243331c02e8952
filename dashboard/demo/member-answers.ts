/** What each address of the demo's cluster says of itself and of the others, where the member behind them all would say that it is alone. */

export interface ShownMember {
  /** `<host>:<port>`. */
  readonly address: string;
  readonly uuid: string;
}

export interface Speaker {
  readonly self: ShownMember;
  /** Whose cluster it is: the oldest first. */
  readonly cluster: readonly ShownMember[];
  /** The member that holds the data: its own address is nobody's business. */
  readonly holder: ShownMember;
  /** By which address it is known instead. */
  readonly holderShownAt: string;
  readonly isLeaving: boolean;
}

/** @param said  of the member that holds the data, as text */
export type Change = (said: string, speaker: Speaker) => string;

const changes: Readonly<Record<string, Change>> = {
  'rest/cluster': changeJson((said, { self, cluster }) => {
    const [alone] = said.members as readonly object[];
    const members = cluster.map((member) => ({
      ...alone,
      ...member,
      localMember: member.uuid === self.uuid,
    }));
    return { ...said, members };
  }),
  'rest/instance': (said, { self, holder }) => said.replace(portOf(holder), portOf(self)),
  'rest/management/cluster/nodes': changeJson((said, { self, cluster }) => {
    if (typeof said.response !== 'string') return said;
    const all = cluster.map(({ address, uuid }) => {
      const suffix = uuid === self.uuid ? ' this' : '';
      return `Member ${address.replace(/^(.*):(\d+)$/, '[$1]:$2')} - ${uuid}${suffix}`;
    });
    return { ...said, response: said.response.replace(/^\[.*\]/, `[${all.join(', ')}]`) };
  }),
  health: changeJson((said, { cluster, isLeaving }) => ({
    ...said,
    ...(isLeaving && { nodeState: 'PASSIVE' }),
    clusterSize: cluster.length,
  })),
  'health/node-state': (said, { isLeaving }) => (isLeaving ? '"PASSIVE"' : said),
  'health/cluster-size': (_said, { cluster }) => String(cluster.length),
};

/** @param path  behind the first segment, without a query. @returns undefined for what is passed on as it is */
export function changeFor(path: string): Change | undefined {
  if (path.startsWith('rest/cp-subsystem/')) return withoutHolder;
  return changes[path];
}

/** The same of the fields of `HEAD /health`, a list of names and values. */
export function changeFields(fields: readonly string[], { cluster, isLeaving }: Speaker): string[] {
  return fields.map((field, at) => {
    const name = at % 2 === 1 ? fields[at - 1] : '';
    if (name === 'Hazelcast-ClusterSize') return String(cluster.length);
    return name === 'Hazelcast-NodeState' && isLeaving ? 'PASSIVE' : field;
  });
}

function changeJson(
  change: (said: Readonly<Record<string, unknown>>, speaker: Speaker) => Readonly<Record<string, unknown>>,
): Change {
  return (said, speaker) => JSON.stringify(change(JSON.parse(said), speaker));
}

/** Addresses of CP members have brackets around the host. */
function withoutHolder(said: string, { holder, holderShownAt }: Speaker): string {
  return said.replaceAll(`]:${portOf(holder)}"`, `]:${portOf({ address: holderShownAt })}"`);
}

function portOf({ address }: Pick<ShownMember, 'address'>): string {
  return address.slice(address.lastIndexOf(':') + 1);
}
