/**
 * Keys of entries that calls through the console were about, where a setting keeps them: they may say who somebody is. In the
 * memory of the process that owns the store, a few of each map, for so many minutes; never in the store, the audit or the log.
 */
import type { CallRecord } from '../../member-proxy/call-record.ts';

export interface CalledKey {
  readonly map: string;
  readonly key: string;
  /** Of the last call, epoch milliseconds. */
  readonly at: number;
}

/** The process that remembers for others. */
export interface CalledKeysElsewhere {
  readonly add: (keys: readonly CalledKey[]) => Promise<void>;
  readonly of: (map: string) => Promise<readonly CalledKey[]>;
}

export interface CalledKeysDeps {
  /** 0: none is kept. */
  readonly minutes: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Absent where this process remembers. */
  readonly elsewhere?: CalledKeysElsewhere | undefined;
}

export interface CalledKeys {
  /** Whether any are kept. */
  readonly isOn: boolean;
  record(call: Pick<CallRecord, 'path' | 'decision' | 'status'>): void;
  /** What other processes have seen. */
  add(keys: readonly CalledKey[]): void;
  /** Of the calls that a member has carried out, the last ones first. */
  of(map: string): Promise<readonly CalledKey[]>;
}

/** Of one map; the ones called last stay. */
const mostKeys = 10;
const mostMaps = 1_000;
/** What a process has seen is handed on together, milliseconds. */
const settleMs = 500;
const beginning = '/rest/maps/';
/** Longer paths are cut off in what is told of a call, and no key that a page takes. */
const longestPath = 2_000;

export function createCalledKeys({ minutes, now, elsewhere }: CalledKeysDeps): CalledKeys {
  const isOn = minutes > 0;
  const byMap = new Map<string, readonly CalledKey[]>();
  let unsent = new Map<string, CalledKey>();

  return {
    isOn,
    record({ path, decision, status }) {
      if (!isOn || decision !== 'forwarded' || status === 0 || status >= 300) return;
      const called = calledIn(path);
      if (!called) return;
      const one = { ...called, at: now() };
      if (!elsewhere) return add(one);
      if (unsent.size >= mostMaps) return;
      if (unsent.size === 0) setTimeout(send, settleMs).unref();
      unsent.set(JSON.stringify([one.map, one.key]), one);
    },
    add: (keys) => keys.forEach(add),
    async of(map) {
      if (!isOn) return [];
      if (elsewhere) return elsewhere.of(map);
      dropOld();
      return byMap.get(map) ?? [];
    },
  };

  function add(one: CalledKey): void {
    const others = (byMap.get(one.map) ?? []).filter(({ key }) => key !== one.key);
    // The last one is that of the last call.
    byMap.delete(one.map);
    // Of several processes one may hand on what another has seen later.
    const latestFirst = [one, ...others].sort((first, second) => second.at - first.at);
    byMap.set(one.map, latestFirst.slice(0, mostKeys));
    if (byMap.size > mostMaps) byMap.delete(byMap.keys().next().value!);
  }

  function dropOld(): void {
    const since = now() - minutes * 60_000;
    for (const [map, keys] of byMap) {
      const left = keys.filter(({ at }) => at > since);
      if (left.length === keys.length) continue;
      if (left.length === 0) byMap.delete(map);
      else byMap.set(map, left);
    }
  }

  function send(): void {
    const keys = [...unsent.values()];
    unsent = new Map();
    // They are gone where the process that remembers is.
    elsewhere!.add(keys).catch(() => {});
  }
}

function calledIn(path: string): { readonly map: string; readonly key: string } | undefined {
  const at = path.indexOf(beginning);
  if (at < 0 || path.length > longestPath) return undefined;
  const [name = '', ...rest] = path.slice(at + beginning.length).split('/');
  if (rest.length === 0) return undefined;
  try {
    const [map, key] = [decodeURIComponent(name), decodeURIComponent(rest.join('/'))];
    return map === '' || key === '' ? undefined : { map, key };
  } catch {
    return undefined;
  }
}
