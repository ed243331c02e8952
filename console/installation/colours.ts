/** The colours that follow from the one of an installation, each readable on its ground in light and in dark (WCAG 2.2, 1.4.3). */

/** `#rrggbb`, in small letters. */
export type Colour = `#${string}`;

/** By the names of the tokens of the style sheet. */
export type Tokens = Readonly<Record<string, Colour>>;

/** Of text on its ground. */
export const leastContrast = 4.5;

const white = '#ffffff';
const black = '#000000';
const grounds = { light: '#f4f6f3', dark: '#161e1b', darkest: '#0e1412' } as const;
const onBanner = '#eaf4ef';

export function isColour(text: string): text is Colour {
  return /^#[0-9a-f]{6}$/.test(text);
}

/** On the light ground, where links have the colour itself. */
export function contrastOfAccent(accent: Colour): number {
  return contrast(accent, grounds.light);
}

/** The nearest darker one that can be read. */
export function readableAccent(accent: Colour): Colour {
  return mixedUntil(accent, black, (colour) => contrastOfAccent(colour) >= leastContrast);
}

/** @param accent  readable on the light ground */
export function tokensOf(accent: Colour): { readonly light: Tokens; readonly dark: Tokens } {
  return { light: lightTokens(accent), dark: darkTokens(accent) };
}

function lightTokens(accent: Colour): Tokens {
  const over = mix(accent, black, 0.2);
  // A tint is as strong as the colour can still be read on it.
  const tint = mixedUntil(mix(white, accent, 0.14), white, (ground) => isReadable(accent, ground), 0.05);
  return {
    accent,
    'accent-over': over,
    'on-accent': white,
    tint,
    'on-tint': mixedUntil(mix(accent, black, 0.2), black, (text) => isReadable(text, tint)),
    ...bannerTokens(mix(accent, black, 0.15)),
  };
}

function darkTokens(colour: Colour): Tokens {
  const tint = mix(grounds.dark, colour, 0.3);
  const isClear = (text: Colour) =>
    contrast(text, grounds.dark) >= 7 && isReadable(text, tint) && isReadable(text, grounds.darkest);
  const accent = mixedUntil(colour, white, isClear);
  return {
    accent,
    'accent-over': mix(accent, white, 0.2),
    'on-accent': mixedUntil(mix(colour, black, 0.6), black, (text) => isReadable(text, accent)),
    tint,
    'on-tint': mixedUntil(mix(accent, white, 0.2), white, (text) => isReadable(text, tint)),
    ...bannerTokens(mix(colour, black, 0.5)),
  };
}

/** Beside the question of a sign-in. */
function bannerTokens(colour: Colour): Tokens {
  const banner = mixedUntil(colour, black, (ground) => contrast(onBanner, ground) >= 7);
  const muted = mix(onBanner, banner, 0.25);
  return {
    banner,
    'on-banner': onBanner,
    'on-banner-muted': mixedUntil(muted, onBanner, (text) => isReadable(text, banner)),
  };
}

function isReadable(text: Colour, ground: Colour): boolean {
  return contrast(text, ground) >= leastContrast;
}

/** @param step  by which it goes on towards `to` */
function mixedUntil(from: Colour, to: Colour, isGood: (colour: Colour) => boolean, step = 0.02): Colour {
  for (let share = 0; share < 1; share += step) {
    const colour = mix(from, to, share);
    if (isGood(colour)) return colour;
  }
  return to;
}

function mix(from: Colour, to: Colour, share: number): Colour {
  const [one, other] = [partsOf(from), partsOf(to)];
  const parts = one.map((part, at) => Math.round(part + (other[at]! - part) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

export function contrast(one: Colour, other: Colour): number {
  const [brighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (brighter + 0.05) / (darker + 0.05);
}

/** Relative luminance (WCAG 2.2, definitions). */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = partsOf(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function partsOf(colour: Colour): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
