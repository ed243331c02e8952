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

/** What a zone adds to UTC, and what it is called then. */
interface ZoneTime {
  readonly offsetMs: number;
  readonly name: string;
}

const hourMs = 3_600_000;
/** By the hour and the zone; undefined where clocks are changed within the hour. */
const zoneTimes = new Map<string, ZoneTime | undefined>();
const mostZoneTimes = 2_000;

/** `2025-11-21 09:23:05 CET`, for lists and tables of times. @param zone  the same */
export function exactText(at: Date, zone = 'UTC'): string {
  const { offsetMs, name } = zoneTimeOf(at, zone);
  const local = new Date(at.getTime() + offsetMs).toISOString();
  return `${local.slice(0, 10)} ${local.slice(11, 19)} ${name}`;
}

/** A list says hundreds of moments of a few hours: to ask `Intl` for each costs more than the rest of their rows. */
function zoneTimeOf(at: Date, zone: string): ZoneTime {
  const hour = Math.floor(at.getTime() / hourMs);
  const key = `${hour} ${zone}`;
  if (!zoneTimes.has(key)) {
    const first = foundZoneTime(new Date(hour * hourMs), zone);
    const last = foundZoneTime(new Date((hour + 1) * hourMs - 1), zone);
    const isOne = first.offsetMs === last.offsetMs && first.name === last.name;
    if (zoneTimes.size >= mostZoneTimes) zoneTimes.clear();
    zoneTimes.set(key, isOne ? first : undefined);
  }
  return zoneTimes.get(key) ?? foundZoneTime(at, zone);
}

function foundZoneTime(at: Date, zone: string): ZoneTime {
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
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return {
    offsetMs: local - Math.floor(at.getTime() / 1000) * 1000,
    name: parts.get('timeZoneName') ?? '',
  };
}
