/** The smallest grant that covers what was used, of what somebody has. */
import { type Outcome, structureOf } from './needs.ts';
import { namesOfText, type UsageRow } from './usage-row.ts';

/** So many maps, or queues, are named one by one; of more, what opens them all stays. */
const mostNamed = 20;

export interface GrantedNow {
  /** In the spelling of scopes. */
  readonly permissions: readonly string[];
  /** Whether a text is a permission that can be given. */
  readonly isPermission: (text: string) => boolean;
  /** Whether somebody with these alone could have made the call. */
  readonly opens: (permissions: readonly string[], row: UsageRow) => Outcome;
}

/** @param used  rows of calls that were let through. @returns in the order of the alphabet */
export function smallerGrant(used: readonly UsageRow[], granted: GrantedNow): readonly string[] {
  const found = new Set<string>();
  for (const rows of bySubject(used).values()) {
    for (const permission of narrowest(rows, granted)) found.add(permission);
  }
  // What a wider one opens has no need of its own.
  const all = [...found].sort();
  return all.filter((one) => {
    const covered = used.filter((row) => granted.opens([one], row) === 'open');
    const others = all.filter((other) => other !== one && isWider(other, one));
    return !(covered.length > 0 && covered.every((row) => granted.opens(others, row) === 'open'));
  });
}

function isWider(one: string, other: string): boolean {
  return !one.startsWith('svc:map:') && !one.startsWith('svc:queue:') && one !== other;
}

/** By what they need, whatever the name. */
function bySubject(used: readonly UsageRow[]): Map<string, UsageRow[]> {
  const found = new Map<string, UsageRow[]>();
  for (const row of used) {
    const key = `${row[1]} ${row[2]}`;
    const rows = found.get(key);
    if (rows) rows.push(row);
    else found.set(key, [row]);
  }
  return found;
}

function narrowest(rows: readonly UsageRow[], granted: GrantedNow): readonly string[] {
  const [first] = rows as readonly [UsageRow];
  const structure = structureOf(first);
  if (structure === undefined) return [first[1]];
  const names = new Set<string>();
  for (const row of rows) {
    const own = namesOfText(row[3]);
    if (own === undefined) return asGranted(rows, granted);
    for (const name of own) names.add(name);
  }
  const scopes = [...names].map((name) => `svc:${structure.kind}:${name}:${structure.action}`);
  const canBeGiven = scopes.length <= mostNamed && scopes.every(granted.isPermission) && !endInStar(names);
  return canBeGiven ? scopes : asGranted(rows, granted);
}

/** As a scope it would stand for whatever begins so. */
function endInStar(names: ReadonlySet<string>): boolean {
  return [...names].some((name) => name.endsWith('*'));
}

/** Of what somebody has, what opens these; for all data where nothing narrower does. */
function asGranted(rows: readonly UsageRow[], { permissions, opens }: GrantedNow): readonly string[] {
  const [first] = rows as readonly [UsageRow];
  const narrow = permissions.filter((permission) => /^svc:(?:map|queue):/.test(permission));
  const needed = narrow.filter((permission) => rows.some((row) => opens([permission], row) !== 'closed'));
  return rows.every((row) => opens(needed, row) === 'open') ? needed : [first[1]];
}
