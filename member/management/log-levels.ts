import type { MemberLog } from '../log.ts';
import { OperationFailedError } from '../operation-failed.ts';

/** The level of the running log, by the real engine's names. */
export interface LogLevels {
  /** As set, such as `FINE`; `null` while it is what the member started with. */
  readonly level: string | null;
  /** Whether each call gets a line: FINE and finer. */
  readonly showsCalls: boolean;
  /**
   * @param text  a name in any case, or a whole number on the same scale
   * @throws {OperationFailedError} for any other text, and where the log takes no level
   */
  set(text: string): void;
  /** Back to what the member started with. */
  reset(): void;
}

/** The names and their numbers: what is logged has at least the number of the level that is set. */
const numbers: Readonly<Record<string, number>> = {
  OFF: 2_147_483_647,
  SEVERE: 1000,
  WARNING: 900,
  INFO: 800,
  CONFIG: 700,
  FINE: 500,
  FINER: 400,
  FINEST: 300,
  ALL: -2_147_483_648,
};

const known = Object.keys(numbers).filter((name) => name !== 'ALL');

/** @param log  of the member alone: its level is what changes */
export function createLogLevels(log: MemberLog): LogLevels {
  const startLevel = log.level;
  let level: string | null = null;
  let showsCalls = isFine(log);

  function apply(to: string, name: string | null): void {
    log.level = to;
    level = name;
    showsCalls = isFine(log);
  }

  return {
    get level() {
      return level;
    },
    get showsCalls() {
      return showsCalls;
    },
    set(text) {
      const name = nameOf(text);
      if (name === undefined) {
        throw new OperationFailedError(`no such log level; known are ${known.join(', ')}`);
      }
      if (startLevel === undefined) throw new OperationFailedError('the log of this member takes no level');
      apply(levelFor(numbers[name] ?? Number(name)), name);
    },
    reset() {
      if (startLevel !== undefined) apply(startLevel, null);
    },
  };
}

/** The name of a level, or a number that has none, as digits; `undefined` for what is no level. */
function nameOf(text: string): string | undefined {
  const name = text.toUpperCase();
  if (Object.hasOwn(numbers, name)) return name;
  if (!/^[+-]?\d{1,10}$/.test(name)) return undefined;
  const number = Number(name);
  if (number > numbers.OFF! || number < numbers.ALL!) return undefined;
  return Object.keys(numbers).find((each) => numbers[each] === number) ?? String(number);
}

/** The logger's least level that leaves nothing out which has at least this number. */
function levelFor(number: number): string {
  if (number > 1000) return 'silent';
  if (number > 900) return 'error';
  if (number > 800) return 'warn';
  if (number > 500) return 'info';
  return number > 400 ? 'debug' : 'trace';
}

function isFine({ level }: MemberLog): boolean {
  return level === 'debug' || level === 'trace';
}
