import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (name: string) => readFileSync(new URL(`../../views/static/${name}`, import.meta.url), 'utf8');
const light = new Map(['style.css', 'management.css'].flatMap((name) => [...colours(read(name))]));
const dark = new Map([...light, ...colours(read('dark.css'))]);

/** Text on its ground: 4.5 to 1 (WCAG 2.2, 1.4.3). */
const texts = [
  ['ink', 'ground'],
  ['ink', 'surface'],
  ['ink', 'tint'],
  ['muted', 'ground'],
  ['muted', 'surface'],
  ['accent', 'ground'],
  ['accent', 'surface'],
  ['accent', 'tint'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-over'],
  ['on-tint', 'tint'],
  ['danger', 'danger-tint'],
  ['danger', 'surface'],
  ['on-banner', 'banner'],
  ['on-banner-muted', 'banner'],
] as const;

/** Borders of controls and the mark of the focus: 3 to 1 (WCAG 2.2, 1.4.11). */
const shapes = [
  ['edge', 'ground'],
  ['edge', 'surface'],
  ['danger', 'surface'],
  ['ok', 'surface'],
  ['warn', 'surface'],
  ['focus', 'ground'],
  ['focus', 'surface'],
] as const;

describe.each([
  { scheme: 'light', tokens: light },
  { scheme: 'dark', tokens: dark },
])('in the $scheme scheme', ({ tokens }) => {
  test.each(texts)('%s can be read on %s', (front, back) => {
    expect(contrast(tokens.get(front), tokens.get(back))).toBeGreaterThanOrEqual(4.5);
  });

  test.each(shapes)('%s can be seen on %s', (front, back) => {
    expect(contrast(tokens.get(front), tokens.get(back))).toBeGreaterThanOrEqual(3);
  });
});

function colours(source: string): ReadonlyMap<string, string> {
  return new Map(
    [...source.matchAll(/--([\w-]+): #([0-9a-f]{6});/g)].map(([, name = '', hex = '']) => [name, hex]),
  );
}

function contrast(a: string | undefined, b: string | undefined): number {
  const [brighter = 0, darker = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (brighter + 0.05) / (darker + 0.05);
}

/** Relative luminance of an sRGB colour (WCAG 2.2, definitions). */
function luminance(hex: string | undefined): number {
  if (hex === undefined) throw new Error('the style sheet does not name this colour');
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
