/**
 * How the admin API names a member.
 *
 * @param given  host and port, a UUID, or the base address, as `member list` shows it
 */
export function memberName(given = ''): string {
  return given.replace(/^https?:\/\/([^/]+)\/?$/, '$1');
}
