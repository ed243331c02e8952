/** How somebody wants pages shown: kept in the browser, so that it counts before a sign-in too, and nobody else sees it. */
import type { Context } from 'koa';
import type { Language } from '../../../views/elements/moment.ts';
import type { Density, Presentation, Theme } from '../../../views/presentation.ts';

export type DisplayChoice = Pick<Presentation, 'theme' | 'zone' | 'density'> & {
  /** Absent: that of the browser. */
  readonly language?: Language | undefined;
};

export const themes: readonly Theme[] = ['system', 'light', 'dark'];
const cookieName = 'console_display';
const dayMs = 86_400_000;

/** What is not known counts as not chosen. */
export function chosenIn(ctx: Pick<Context, 'cookies'>): DisplayChoice {
  const given = new URLSearchParams((ctx.cookies.get(cookieName, { signed: false }) ?? '').slice(0, 256));
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
  ctx.cookies.set(cookieName, said.toString(), {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: isSecure,
    signed: false,
    maxAge: 365 * dayMs,
    overwrite: true,
  });
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

let known: readonly string[] | undefined;

/** Of the IANA data base, by name. */
export function zones(): readonly string[] {
  known ??= [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
  return known;
}
