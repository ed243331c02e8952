import { expect, test } from 'vitest';
import { entryLine } from '../../console/audit/entry.ts';
import { createLineTimes } from '../../console/audit/index/line-time.ts';

const times = [
  '2026-11-22T09:03:11.402Z',
  '2026-11-22T23:59:59.999Z',
  '2026-11-23T00:00:00.000Z',
  '2026-11-22T09:03:11.401Z',
  '2028-02-29T12:00:00.070Z',
];

test('the time of each line is read from its bytes, from day to day and back', () => {
  const { of } = createLineTimes();
  for (const [i, time] of times.entries()) {
    const stored = Buffer.from(
      `AAAAAAAAAAAAAAAA ${entryLine('w7k2', 10 ** i, `"time":"${time}","event":"x"}`)}`,
    );
    expect(of(stored, 17, stored.length)).toBe(Date.parse(time));
    expect(of(stored, 17, stored.length)).toBe(Date.parse(time));
  }
});

test.each([
  ['none', '{"v":1,"writer":"w7k2","seq":1,"event":"x"}'],
  ['a cut one', '{"v":1,"writer":"w7k2","seq":1,"time":"2028-02'],
  ['one of words', '{"v":1,"writer":"w7k2","seq":1,"time":"2028-02-29Tab:cd:ef.ghiZ","event":"x"}'],
])('%s is 0, whatever came before', (_name, line) => {
  const { of } = createLineTimes();
  const next = `"time":"${times.at(-1)}"`;
  const both = Buffer.from(`${line}\n${next}`);
  expect(of(both, 0, line.length)).toBe(0);
  expect(of(both, line.length + 1, both.length)).toBe(Date.parse(times.at(-1)!));
  expect(of(both, 0, line.length)).toBe(0);
});
