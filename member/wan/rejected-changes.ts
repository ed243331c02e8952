import { jsonObject } from '../../platform/json.ts';

/** Why a member can never take a change, as long as its configuration is what it is. */
export type RejectedReason = (typeof reasons)[number];

const reasons = ['no configuration', 'name too long', 'too large'] as const;

/** A change that the target did not make and never will; the sender gives it up. */
export interface RejectedChanges {
  /** Its place in the request. */
  readonly index: number;
  readonly reason: RejectedReason;
}

export function encodeRejectedChanges(rejected: readonly RejectedChanges[]): string {
  return JSON.stringify({ leftOut: rejected.map(({ index, reason }) => [index, reason]) });
}

/** @returns nothing for an empty reply, which says that all were made, and for what is no form of ours */
export function decodeRejectedChanges(bytes: Buffer): readonly RejectedChanges[] {
  const { leftOut: rejected } = jsonObject(bytes.toString()) ?? {};
  if (!Array.isArray(rejected)) return [];
  return rejected.flatMap((pair: unknown) => {
    const [index, text] = Array.isArray(pair) ? (pair as unknown[]) : [];
    const reason = reasons.find((one) => one === text);
    return reason !== undefined && Number.isInteger(index) ? [{ index: index as number, reason }] : [];
  });
}
