/** How somebody wants pages shown: kept in the browser, so that it counts before a sign-in too, and nobody else sees it. */
import type { Context } from 'koa';
import type { Language } from '../../../views/elements/moment.ts';
import type { Density, Presentation, Theme } from '../../../views/presentation.ts';
import { ownCookie, setOwnCookie, yearMs } from '../cookies.ts';

export type DisplayChoice = Pick<Presentation, 'theme' | 'zone' | 'density'> & {
  /** Absent: that of the browser. */
  readonly language?: Language | undefined;
};

export const themes: readonly Theme[] = ['system', 'light', 'dark'];
const cookieName = 'console_display';
/** What script of a page has said of its browser (`views/static/times.js`). */
const zoneCookieName = 'console_zone';

/** What is not known counts as not chosen. */
export function chosenIn(ctx: Pick<Context, 'cookies'>): DisplayChoice {
  const given = new URLSearchParams(ownCookie(ctx, cookieName));
  return {
    theme: themeOf(given.get('theme')),
    density: densityOf(given.get('density')),
    zone: zoneOf(given.get('zone')),
    language: languageOf(given.get('language')),
  };
}

/** @param isSecure  the console's public address is https */
export function chooseDisplay(
  ctx: Context,
  { theme, density, zone, language }: DisplayChoice,
  isSecure: boolean,
): void {
  const said = new URLSearchParams({
    ...(theme !== 'system' && { theme }),
    ...(density !== undefined && { density }),
    ...(zone !== undefined && { zone }),
    ...(language !== undefined && { language }),
  });
  setOwnCookie(ctx, cookieName, said.toString(), isSecure, yearMs);
}

export function themeOf(text: string | null | undefined): Theme {
  return themes.find((theme) => theme === text) ?? 'system';
}

/** Undefined for the usual one. */
export function densityOf(text: string | null | undefined): Density | undefined {
  return text === 'roomy' ? text : undefined;
}

export function languageOf(text: string | null | undefined): Language | undefined {
  return text === 'en' || text === 'de' ? text : undefined;
}

/** Undefined for one that Node does not know. */
export function zoneOf(text: string | null | undefined): string | undefined {
  return text !== null && text !== undefined && zones().includes(text) ? text : undefined;
}

/** That of the browser, for whoever has chosen none; undefined where no script has said it, or nobody knows it. */
export function browserZoneOf(ctx: Pick<Context, 'cookies'>): string | undefined {
  const given = ownCookie(ctx, zoneCookieName);
  if (given === '') return undefined;
  try {
    const name = decodeURIComponent(given);
    return zoneOf(name) ?? knownName(name);
  } catch {
    // Neither an encoded text nor a zone (RangeError).
    return undefined;
  }
}

/** Browsers have names for some zones that Node has others for. @throws {RangeError} when it knows none */
function knownName(name: string): string | undefined {
  if (!/^[a-z][\w+/-]*$/i.test(name)) return undefined;
  return zoneOf(new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone);
}

let known: readonly string[] | undefined;

/** Of the IANA data base, by name. */
export function zones(): readonly string[] {
  known ??= [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
  return known;
}
