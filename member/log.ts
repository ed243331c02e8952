/** What the member writes to the log. Any logger with these methods will do; pino's loggers have them all. */
export interface MemberLog {
  /** Least level that is written, by pino's names; left out where it cannot be changed. */
  level?: string;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A logger to the same place with a level of its own. */
  child?(bindings: object): MemberLog;
}

export const silentLog: MemberLog = { debug() {}, info() {}, warn() {}, error() {} };

/** A log whose level can change without changing that of who handed it in, such as the console. */
export function ownLogOf(log: MemberLog): MemberLog {
  return log.child === undefined ? log : log.child({});
}
