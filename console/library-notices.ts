import type { Logger } from '../platform/log.ts';

/** oidc-provider is not tested on Node 20 by its makers; this project's own suite runs there. */
const expected = 'Unsupported runtime';

/**
 * oidc-provider speaks to the operator through the global console, from the moment it is imported.
 * What it says belongs into the log. To be called before that import.
 */
export function logLibraryNotices(log: Logger): void {
  holdLibraryNotices()(log);
}

/** The same where there is no log yet. @returns a function that says where it is */
export function holdLibraryNotices(): (log: Logger) => void {
  const waiting: string[] = [];
  let log: Logger | undefined;
  const write = (text: unknown) => {
    if (String(text).includes(expected)) return;
    if (log) log.warn({ library: 'oidc-provider' }, String(text));
    else waiting.push(String(text));
  };
  Object.assign(globalThis.console, { warn: write, info: write });
  return (given) => {
    log = given;
    waiting.splice(0).forEach(write);
  };
}
