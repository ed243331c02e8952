import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (name: string) => readFileSync(new URL(`../../views/static/${name}`, import.meta.url), 'utf8');
const light = new Map(['style.css', 'management.css'].flatMap((name) => [...colours(read(name))]));
const dark = new Map([...light, ...colours(read('dark.css'))]);

/** Text on the ground and on surfaces, and what is written on a tint of its own: 7 to 1 (WCAG 2.2, 1.4.6, AAA). */
const enhanced: readonly (readonly [string, string])[] = [
  ...['ink', 'muted', 'accent', 'accent-over', 'danger'].flatMap((front): [string, string][] => [
    [front, 'ground'],
    [front, 'surface'],
  ]),
  ['ink', 'tint'],
  ['ink', 'warn-tint'],
  ['ink', 'danger-tint'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-over'],
  ['on-tint', 'tint'],
  ['danger', 'danger-tint'],
  ['on-banner', 'banner'],
];

/** Other text: 4.5 to 1 (WCAG 2.2, 1.4.3). */
const texts = [
  ['muted', 'tint'],
  ['accent', 'tint'],
  ['on-banner-muted', 'banner'],
] as const;

/** What is written in something else is not held by any of these. */
const ofText = new Set([...enhanced, ...texts].map(([front]) => front));

/** On a surface, as the design has it. */
const designed = {
  light: { ok: 5.3, warn: 6.3, danger: 8.3, 'plot-1': 8.1, 'plot-2': 4.7, 'plot-3': 3.5, 'plot-4': 9.1 },
  dark: { ok: 9, warn: 9.8, danger: 9.9, 'plot-1': 9.6, 'plot-2': 3.5, 'plot-3': 10.9, 'plot-4': 3.7 },
};

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
  { scheme: 'light', tokens: light, apart: 30 },
  { scheme: 'dark', tokens: dark, apart: 24 },
] as const)('in the $scheme scheme', ({ scheme, tokens, apart }) => {
  test.each(enhanced)('%s can be read with ease on %s', (front, back) => {
    expect(contrast(tokens.get(front), tokens.get(back))).toBeGreaterThanOrEqual(7);
  });

  test.each(Object.entries(designed[scheme]))('%s has a contrast of %s on a surface', (token, said) => {
    expect(contrast(tokens.get(token), tokens.get('surface'))).toBeCloseTo(said, 1);
  });

  test.each(Object.keys(sights))('plots can be told apart by %s sight', (sight) => {
    const plots = ['plot-1', 'plot-2', 'plot-3', 'plot-4'].map((name) => lab(seen(tokens.get(name), sight)));
    const distances = plots.flatMap((one, at) => plots.slice(at + 1).map((other) => distance(one, other)));
    expect(distances).toHaveLength(6);
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(apart);
  });

  test.each(texts)('%s can be read on %s', (front, back) => {
    expect(contrast(tokens.get(front), tokens.get(back))).toBeGreaterThanOrEqual(4.5);
  });

  test.each(shapes)('%s can be seen on %s', (front, back) => {
    expect(contrast(tokens.get(front), tokens.get(back))).toBeGreaterThanOrEqual(3);
  });
});

test('nothing is written in a colour of shapes', () => {
  const sheets = ['style.css', 'management.css', 'dark.css'].map(read).join('\n');
  const written = [...sheets.matchAll(/(?:^|[\s;{])color: var\(--([\w-]+)\)/g)].map(([, name]) => name!);
  expect(written.length).toBeGreaterThan(40);
  expect([...new Set(written)].filter((name) => !ofText.has(name))).toEqual([]);
});

/** As who lacks one kind of cones sees linear sRGB (Machado, Oliveira and Fernandes 2009, severity 1). */
const sights: Readonly<Record<string, readonly Row[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'red-blind': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'green-blind': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'blue-blind': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

type Row = readonly [number, number, number];

function times(matrix: readonly Row[], [x, y, z]: Row): Row {
  const [a, b, c] = matrix.map((row) => row[0] * x + row[1] * y + row[2] * z);
  return [a!, b!, c!];
}

function seen(hex: string | undefined, sight: string): Row {
  const [red, green, blue] = times(sights[sight]!, linear(hex)).map((part) => Math.min(1, Math.max(0, part)));
  return [red!, green!, blue!];
}

/** CIELAB of linear sRGB, for daylight. */
function lab(color: Row): Row {
  const [x, y, z] = times(
    [
      [0.4124564, 0.3575761, 0.1804375],
      [0.2126729, 0.7151522, 0.072175],
      [0.0193339, 0.119192, 0.9503041],
    ],
    color,
  );
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const [fx, fy, fz] = [f(x / 0.95047), f(y), f(z / 1.08883)];
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

function distance(one: Row, other: Row): number {
  return Math.hypot(...one.map((part, at) => part - other[at]!));
}

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
  const [red, green, blue] = linear(hex);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linear(hex: string | undefined): Row {
  if (hex === undefined) throw new Error('the style sheet does not name this colour');
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return [red, green, blue];
}
