import { isIPv6 } from 'node:net';

/** Where requests come from, and what it holds at the moment. */
export class Source {
  readonly key: string;
  connections = 0;
  /** Of these, how many are beyond the limits. */
  forProbes = 0;
  requests = 0;
  /** Requests that wait for a place. */
  waiting: Ticket[] = [];
  isInRotation = false;
  /** Who refers to it. */
  users = 0;

  constructor(key: string) {
    this.key = key;
  }
}

/** Those that hold something. */
export class Sources {
  private readonly byKey = new Map<string, Source>();

  /** @param address  canonical text; each is to be given back by {@link release} */
  hold(address: string): Source {
    const key = keyOf(address);
    let source = this.byKey.get(key);
    if (source === undefined) {
      source = new Source(key);
      this.byKey.set(key, source);
    }
    source.users += 1;
    return source;
  }

  release(source: Source): void {
    source.users -= 1;
    if (source.users === 0) this.byKey.delete(source.key);
  }
}

/** Whoever has one address of IPv6 has the 2^64 beside it as well. */
function keyOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [left = '', right = ''] = address.split('::', 2);
  const groups = left === '' ? [] : left.split(':');
  const behind = right === '' ? [] : right.split(':');
  const zeros = Array<string>(Math.max(0, 8 - groups.length - behind.length)).fill('0');
  return [...groups, ...(address.includes('::') ? zeros : []), ...behind].slice(0, 4).join(':');
}

export interface Ticket {
  readonly source: Source;
  readonly start: () => void;
  /** Waited too long, or there is no room to wait. */
  readonly reject: () => void;
  /** Monotonic milliseconds. */
  readonly since: number;
  state: 'waiting' | 'taken' | 'over';
}
