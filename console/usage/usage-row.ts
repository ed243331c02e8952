/** One row of what was used: who, what it needed, of which map or queue, whether it was let through. */

/** `client:<id>`, or `user:<sub>`; `other:` where there are too many to tell apart. */
export type UsedBy = string;

/** On the way to another process, and as the store has it: plain values. */
export type UsageRow = readonly [
  who: UsedBy,
  /** `svc:…` or `api:…`; empty for a call that no rule knows, and for what {@link tokenRows} say. */
  permission: string,
  /** `map:read`, `queue:poll`; empty where the call is for no single map or queue. */
  structure: string,
  /** See {@link namesOfText}. */
  name: string,
  isAllowed: boolean,
  count: number,
  /** Epoch milliseconds. */
  first: number,
  last: number,
  /** Of the last one that was refused. */
  decisionId: string | null,
];

/** In the place of a structure: what the tokens of these calls have asked for, and calls as an administrator. */
export const tokenRows = { asked: 'asked', administrator: 'administrator' } as const;

/** Stands for names that are not told apart. */
export const otherNames = '\u0000*';
export const otherCallers: UsedBy = 'other:';

/** Longer ones are not told apart: a target may have 8 KiB. */
const longestName = 256;

/** Every reading of a path has to be open (docs/member-surface.md#routing): mostly there is one. */
export function textOfNames([first = '', ...others]: readonly string[]): string {
  const further = others.filter((name) => name !== first);
  const text = further.length === 0 ? first : `\u0000${JSON.stringify([first, ...further])}`;
  return text.length > longestName ? otherNames : text;
}

/** @returns undefined for names that were not told apart */
export function namesOfText(text: string): readonly string[] | undefined {
  if (text === otherNames) return undefined;
  return text.startsWith('\u0000') ? (JSON.parse(text.slice(1)) as string[]) : [text];
}

export function keyOfRow([, permission, structure, name, isAllowed]: UsageRow): string {
  return `${permission}\n${structure}\n${isAllowed ? 1 : 0}\n${name}`;
}

/** @returns the sum of two rows of the same key */
export function addedRow(one: UsageRow, other: UsageRow): UsageRow {
  const [who, permission, structure, name, isAllowed, count, first, last, decisionId] = one;
  const isNewer = other[7] >= last;
  return [
    who,
    permission,
    structure,
    name,
    isAllowed,
    count + other[5],
    Math.min(first, other[6]),
    Math.max(last, other[7]),
    (isNewer ? (other[8] ?? decisionId) : (decisionId ?? other[8])) as string | null,
  ];
}
