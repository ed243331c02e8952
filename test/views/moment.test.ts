import { describe, expect, test } from 'vitest';
import { exactText } from '../../views/elements/moment.ts';

describe('a moment to the second', () => {
  test.each([
    ['UTC', '2025-11-21T09:23:05.999Z', '2025-11-21 09:23:05 UTC'],
    ['Europe/Berlin', '2025-11-21T23:30:00Z', '2025-11-22 00:30:00 CET'],
    // Around a change of clocks.
    ['Europe/Berlin', '2025-10-26T00:59:59Z', '2025-10-26 02:59:59 CEST'],
    ['Europe/Berlin', '2025-10-26T01:00:00Z', '2025-10-26 02:00:00 CET'],
    ['Australia/Lord_Howe', '2025-10-04T15:29:59Z', '2025-10-05 01:59:59 GMT+10:30'],
    ['Australia/Lord_Howe', '2025-10-04T15:30:00Z', '2025-10-05 02:30:00 GMT+11'],
    // One minute past midnight, so within an hour and within a quarter of it.
    ['America/St_Johns', '2010-03-14T03:30:59Z', '2010-03-14 00:00:59 GMT-3:30'],
    ['America/St_Johns', '2010-03-14T03:31:00Z', '2010-03-14 01:01:00 GMT-2:30'],
    ['Asia/Kathmandu', '2025-12-31T18:14:59Z', '2025-12-31 23:59:59 GMT+5:45'],
    ['America/New_York', '1969-12-31T23:59:59.500Z', '1969-12-31 18:59:59 GMT-5'],
  ])('of %s: %s', (zone, at, text) => {
    // Another one of the hour before, so that what is known of it is used.
    exactText(new Date(new Date(at).getTime() - 60_000), zone);
    expect(exactText(new Date(at), zone)).toBe(text);
    expect(exactText(new Date(at), zone)).toBe(text);
  });

  test('is what Intl says, whichever the zone and the moment', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    for (let n = 0; n < 4_000; n++) {
      const zone = zones[n % zones.length]!;
      const at = new Date(Math.floor(n * 0.618 * 1e12) % 2.2e12);
      const options = { timeZone: zone, timeZoneName: 'short', hourCycle: 'h23' } as const;
      const text = new Intl.DateTimeFormat('en-GB', { ...options, ...digits }).format(at);
      const [, day, month, year, time, name] = /^(..)\/(..)\/(....), (..:..:..) (.+)$/.exec(text)!;
      expect(exactText(at, zone)).toBe(`${year}-${month}-${day} ${time} ${name}`);
    }
  });

  test('is none where it is no moment', () => {
    expect(() => exactText(new Date('never'))).toThrow(RangeError);
  });
});

const digits = {
  day: '2-digit',
  month: '2-digit',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
} as const;
