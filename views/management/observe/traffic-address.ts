/** Traffic narrowed to some of its calls, in the address of its page. */

/** What the calls are narrowed by, in the address. */
export type Narrowing = Readonly<Record<string, string>>;

export const trafficHref = '/observe/traffic';

/** The same page, narrowed further. */
export function narrowed(asked: Narrowing, more: Narrowing): string {
  return `${trafficHref}?${new URLSearchParams({ ...asked, ...more })}`;
}
