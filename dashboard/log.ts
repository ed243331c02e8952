import { type Logger, pino, stdTimeFunctions } from 'pino';
import { openLogOutput } from '../platform/log-output.ts';

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
    openLogOutput({ descriptor: 2 }),
  );
}

/** Name, message and stack of an error and its causes; not its other fields, which may hold an answer. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
