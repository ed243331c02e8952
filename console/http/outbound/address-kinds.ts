/** What kind of place an IP address is, so that an outgoing request goes to no place that nobody meant (S42). */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * `public`: routed in the Internet. `private`: of this network. `loopback`: this machine.
 * `forbidden`: link-local, cloud metadata, multicast, reserved; no configuration opens these.
 */
export type AddressKind = 'public' | 'private' | 'loopback' | 'forbidden';

/** @param address  an IP address in any spelling; anything else is `forbidden` */
export function kindOfAddress(address: string): AddressKind {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (isIPv4(plain)) return kindOfIPv4(plain);
  if (!isIPv6(plain)) return 'forbidden';
  const embedded = embeddedIPv4(plain);
  return embedded === undefined ? kindOfIPv6(plain) : kindOfIPv4(embedded);
}

/** @param entries  addresses and subnets such as `10.0.0.0/8` */
export function createAddressList(entries: readonly string[]): (address: string) => boolean {
  const list = blockList(entries);
  return (address) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** RFC 6890 and RFC 1112; documentation and translation ranges reach nobody who should be reached. */
const forbidden = createAddressList([
  '0.0.0.0/8',
  '169.254.0.0/16', // link-local: AWS, Azure, GCP and others answer metadata there
  '192.0.0.0/24', // Oracle's metadata among them
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3', // multicast, reserved, broadcast
  '100.100.100.200', // Alibaba's metadata
  '168.63.129.16', // Azure's host
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  'fd00:ec2::/32', // AWS's metadata
  'fd20:ce::254', // GCP's metadata
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
]);
const privateUse = createAddressList([
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '198.18.0.0/15',
  'fc00::/7',
]);
const loopback = createAddressList(['127.0.0.0/8', '::1']);
const globalIPv6 = createAddressList(['2000::/3']);

function kindOfIPv4(address: string): AddressKind {
  if (forbidden(address)) return 'forbidden';
  if (loopback(address)) return 'loopback';
  return privateUse(address) ? 'private' : 'public';
}

function kindOfIPv6(address: string): AddressKind {
  if (forbidden(address)) return 'forbidden';
  if (loopback(address)) return 'loopback';
  if (privateUse(address)) return 'private';
  return globalIPv6(address) ? 'public' : 'forbidden';
}

/** Prefixes that carry an IPv4 address, and the index of the group it starts at. */
const carriers: readonly { readonly prefix: readonly number[]; readonly at: number }[] = [
  { prefix: [0, 0, 0, 0, 0, 0xffff], at: 6 }, // mapped
  { prefix: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 }, // NAT64
  { prefix: [0x2002], at: 1 }, // 6to4
];

function embeddedIPv4(address: string): string | undefined {
  const groups = groupsOf(address);
  const carrier = carriers.find(({ prefix }) => prefix.every((group, index) => groups[index] === group));
  if (!carrier) return undefined;
  const [high = 0, low = 0] = groups.slice(carrier.at);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight 16-bit groups of a valid IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const hex = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = hex.split('::');
  const parse = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  if (tail === undefined) return parse(head);
  const [before, after] = [parse(head), parse(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function blockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
