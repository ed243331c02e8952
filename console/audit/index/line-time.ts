/** The time of a line of the audit, from its bytes: most lines are of the same day as the one before. */

export interface LineTimes {
  /** @param start  of a line, which goes up to `end`. @returns epoch milliseconds; 0 when it has no time, as an erased one */
  of(bytes: Buffer, start: number, end: number): number;
}

const beforeTime = Buffer.from('"time":"');
const dayLength = '2026-11-22'.length;
const timeLength = '2026-11-22T09:03:11.402Z'.length;
/** Place and length of hours, minutes, seconds and milliseconds, and what one of each is worth. */
const parts = [
  [11, 2, 3_600_000],
  [14, 2, 60_000],
  [17, 2, 1000],
  [20, 3, 1],
] as const;
const zero = 0x30;

export function createLineTimes(): LineTimes {
  let day = Buffer.alloc(0);
  let dayMs = 0;

  return {
    of(bytes, start, end) {
      const found = bytes.indexOf(beforeTime, start);
      const at = found + beforeTime.length;
      if (found < 0 || at + timeLength > end) return 0;
      if (!isSameDay(bytes, at)) {
        const text = bytes.toString('latin1', at, at + timeLength);
        const time = Date.parse(text) || 0;
        if (!wholeTime.test(text)) return time;
        day = Buffer.from(bytes.subarray(at, at + dayLength));
        dayMs = Date.parse(text.slice(0, dayLength));
        return time;
      }
      let time = dayMs;
      for (const [place, length, worth] of parts) {
        let value = 0;
        for (let i = at + place; i < at + place + length; i++) {
          const digit = bytes[i]! - zero;
          if (digit < 0 || digit > 9) return Date.parse(bytes.toString('latin1', at, at + timeLength)) || 0;
          value = value * 10 + digit;
        }
        time += value * worth;
      }
      return time;
    },
  };

  function isSameDay(bytes: Buffer, at: number): boolean {
    if (day.length === 0) return false;
    for (let i = 0; i < dayLength; i++) if (bytes[at + i] !== day[i]) return false;
    return true;
  }
}

const wholeTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
