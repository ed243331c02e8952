/** Whatever colour an installation is given: what can be read is read in the light and in the dark, and the rest is refused. */
import { expect, test } from 'vitest';
import {
  type Colour,
  contrast,
  contrastOfAccent,
  leastContrast,
  readableAccent,
  tokensOf,
} from '../../console/installation/colours.ts';

const steps = [0, 32, 64, 96, 128, 160, 192, 224, 255];
const all = steps.flatMap((red) =>
  steps.flatMap((green) =>
    steps.map(
      (blue) => `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}` as Colour,
    ),
  ),
);
const readable = all.filter((colour) => contrastOfAccent(colour) >= leastContrast);

const grounds = {
  light: { ground: '#f4f6f3', surface: '#ffffff' },
  dark: { ground: '#0e1412', surface: '#161e1b' },
} as const;
/** As test/views/contrast.test.ts has them for the colours of the product. */
const pairs = [
  ['accent', 'ground'],
  ['accent', 'surface'],
  ['accent', 'tint'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-over'],
  ['on-tint', 'tint'],
  ['on-banner', 'banner'],
  ['on-banner-muted', 'banner'],
] as const;

test.each(['light', 'dark'] as const)('in the %s every colour that is taken can be read', (scheme) => {
  expect(readable.length).toBeGreaterThan(200);
  const bad = readable.flatMap((colour) => {
    const tokens: Readonly<Record<string, Colour>> = { ...tokensOf(colour)[scheme], ...grounds[scheme] };
    return pairs
      .filter(([front, back]) => contrast(tokens[front]!, tokens[back]!) < leastContrast)
      .map(([front, back]) => `${colour}: ${front} ${tokens[front]} on ${back} ${tokens[back]}`);
  });
  expect(bad).toEqual([]);
});

test('text in ink stays readable on every tint', () => {
  const ink = { light: '#14211c', dark: '#e7eeea' } as const;
  for (const colour of readable) {
    const { light, dark } = tokensOf(colour);
    expect(contrast(ink.light, light.tint!), colour).toBeGreaterThanOrEqual(leastContrast);
    expect(contrast(ink.dark, dark.tint!), colour).toBeGreaterThanOrEqual(leastContrast);
  }
});

test('the nearest colour that can be read is named for one that cannot', () => {
  expect(contrastOfAccent('#ffcc00')).toBeLessThan(leastContrast);
  for (const colour of all) {
    expect(contrastOfAccent(readableAccent(colour)), colour).toBeGreaterThanOrEqual(leastContrast);
  }
});
