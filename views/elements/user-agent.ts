/** Names in the order in which they must be looked for: later ones claim to be the earlier ones too. */
import type { Translate } from '../texts/text.ts';

const browsers: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
];

const systems: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b|\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

/** Long enough for any honest program's name and version. */
const maxLength = 80;

/**
 * What a person calls the browser behind a `User-Agent`, such as "Firefox on Linux".
 * A hint and no more: the header says what the client likes it to say.
 *
 * @param userAgent  as received; unknown ones come back cut to 80 characters
 */
export function nameBrowser(userAgent: string | undefined, t: Translate): string {
  if (!userAgent) return t('frame.unknownBrowser');
  const browser = browsers.find(([, sign]) => sign.test(userAgent))?.[0];
  const system = systems.find(([, sign]) => sign.test(userAgent))?.[0];
  if (browser === undefined) return cut(userAgent);
  return system === undefined ? browser : t('frame.on', { browser, system });
}

function cut(text: string): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}
