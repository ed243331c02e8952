/** The first path segment at the members: `svc`, or `hazelcast` at the real engine. */

export const memberPrefixes = ['svc', 'hazelcast'] as const;

export type MemberPrefix = (typeof memberPrefixes)[number];

/**
 * The path that a member gets.
 *
 * @param sent  the target as received, starting with `/svc`
 */
export function withPrefix(sent: string, prefix: MemberPrefix): string {
  return prefix === 'svc' ? sent : `/${prefix}${sent.slice('/svc'.length)}`;
}
