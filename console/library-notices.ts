import type { Logger } from '../platform/log.ts';

/** oidc-provider is not tested on Node 20 by its makers; this project's own suite runs there. */
const expected = 'Unsupported runtime';

/**
 * oidc-provider speaks to the operator through the global console, from the moment it is imported.
 * What it says belongs into the log. To be called before that import.
 */
export function logLibraryNotices(log: Logger): void {
  const write = (text: unknown) => {
    if (!String(text).includes(expected)) log.warn({ library: 'oidc-provider' }, String(text));
  };
  Object.assign(globalThis.console, { warn: write, info: write });
}
