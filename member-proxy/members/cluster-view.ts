/** What a member says about its cluster (docs/member-surface.md#cluster-information), as far as the proxy goes by it. */
import { isObject, jsonObject } from '../../platform/json.ts';

export interface ClusterMember {
  /** `<host>:<port>`, an IPv6 host in brackets. */
  readonly address: string;
  readonly uuid: string;
  /** Of its release; undefined where it does not say. */
  readonly version: string | undefined;
  /** Holds no data. */
  readonly isLite: boolean;
}

export interface ClusterView {
  readonly members: readonly ClusterMember[];
  /** The one that answered. */
  readonly local: ClusterMember | undefined;
}

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** `127.0.0.1:5701` as the specification writes it, `[127.0.0.1]:5701` as the real engine does. */
const addressForm = /^(?:\[([^\]\s]{1,64})\]|([^\s:[\]/@?#]{1,253})):(\d{1,5})$/;
const mostMembers = 1000;

/** @returns undefined for anything but a cluster's answer; members that cannot be read are left out */
export function readClusterView(text: string): ClusterView | undefined {
  const reply = jsonObject(text);
  if (!Array.isArray(reply?.members)) return undefined;
  const read = reply.members.slice(0, mostMembers).flatMap((entry) => {
    const member = isObject(entry) ? memberOf(entry) : undefined;
    return member ? [{ member, isLocal: entry.localMember === true }] : [];
  });
  return {
    members: read.map(({ member }) => member),
    local: read.find(({ isLocal }) => isLocal)?.member,
  };
}

const versionForm = /^[\w.+-]{1,64}$/;

function memberOf(said: Readonly<Record<string, unknown>>): ClusterMember | undefined {
  const { address, uuid, memberVersion: version } = said;
  if (typeof uuid !== 'string' || !uuidForm.test(uuid) || typeof address !== 'string') return undefined;
  const [, bracketed, unbracketed, port] = addressForm.exec(address) ?? [];
  const host = bracketed ?? unbracketed;
  if (host === undefined || Number(port) > 65_535) return undefined;
  return {
    address: `${host.includes(':') ? `[${host}]` : host}:${port}`,
    uuid: uuid.toLowerCase(),
    version: typeof version === 'string' && versionForm.test(version) ? version : undefined,
    isLite: said.liteMember === true,
  };
}
