/** What a start warns of before it has opened anything to anybody; with `CONSOLE_STRICT` each is an error. */
import type { Logger } from '../../platform/log.ts';

/** The settings ask for a start without warnings; the message says what was warned of. */
export class StrictStartError extends Error {
  override readonly name = 'StrictStartError';
}

export type StartWarnings = ReturnType<typeof createStartWarnings>;

/** @param isStrict  `CONSOLE_STRICT` */
export function createStartWarnings(log: Pick<Logger, 'warn'>, isStrict: boolean) {
  const warned: string[] = [];
  return {
    /** Logs a warning, and keeps it for {@link StartWarnings.check}. */
    warn(fields: Readonly<Record<string, unknown>>, message: string) {
      log.warn(fields, message);
      const about = Object.entries(fields).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
      warned.push([message, ...about].join('; '));
    },
    /** @throws {StrictStartError} when there was a warning and the start is to be strict */
    check() {
      if (!isStrict || warned.length === 0) return;
      const list = warned.map((warning) => `\n  - ${warning}`).join('');
      throw new StrictStartError(`This start has warnings, and CONSOLE_STRICT=true refuses them:${list}`);
    },
  };
}
