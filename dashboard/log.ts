import { destination, type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger } from 'pino';

/** One JSON line per event to standard error. Callers pass no token, code, cookie or query (S85). */
export function createLogger(): Logger {
  return pino(
    {
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination({ fd: 2, sync: true }),
  );
}

/** Name, message and stack of an error and its causes; not its other fields, which may hold an answer. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
