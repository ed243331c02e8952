/** Moments as text, in the zone of whoever reads them; in UTC where that is not known. */

export type Language = 'en' | 'de';

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' };

/** What `Intl` is asked for. */
export function localeOf(language: Language): string {
  return locales[language];
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(key: string, language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${key} ${language} ${options.timeZone}`;
  const found = formats.get(name) ?? new Intl.DateTimeFormat(locales[language], options);
  // Zones are few: only those that Node knows get here.
  formats.set(name, found);
  return found;
}

/** `21 November 2025, 09:23 CET`. @param zone  of the IANA data base */
export function momentText(at: Date, zone = 'UTC', language: Language = 'en'): string {
  const format = formatOf('moment', language, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone,
    timeZoneName: 'short',
  });
  return format.format(at).replace(/ (?:at|um) /, ', ');
}

/** `2025-11-21 09:23:05 CET`, for lists and tables of times. @param zone  the same */
export function exactText(at: Date, zone = 'UTC'): string {
  const format = formatOf('exact', 'en', {
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZone: zone,
    timeZoneName: 'short',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  return `${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')}:${of('second')} ${of('timeZoneName')}`;
}
