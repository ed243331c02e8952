import { exactText, type Language, localeOf } from '../elements/moment.ts';
import { usePresentation } from '../presentation.ts';
import { useText } from '../texts/elements.tsx';

interface AgoProps {
  /** Nothing: it has not happened. */
  readonly at: Date | undefined;
  readonly now: Date;
  /** What is said where it has not. */
  readonly never?: string;
}

/** How long ago something was, or how soon it will be; the moment itself for who points at it, and for programs. */
export function Ago({ at, now, never }: AgoProps) {
  const t = useText();
  const { zone, language } = usePresentation();
  if (!at) return <span class="muted">{never ?? t('frame.never')}</span>;
  return (
    <time data-relative="" dateTime={at.toISOString()} title={exactText(at, zone)}>
      {relative(at.getTime() - now.getTime(), language)}
    </time>
  );
}

const steps = [
  { unit: 'second', seconds: 1, most: 60 },
  { unit: 'minute', seconds: 60, most: 60 },
  { unit: 'hour', seconds: 3600, most: 24 },
  { unit: 'day', seconds: 86_400, most: 60 },
  { unit: 'month', seconds: 2_629_746, most: 24 },
  { unit: 'year', seconds: 31_556_952, most: Number.POSITIVE_INFINITY },
] as const;

const formats = new Map<string, Intl.RelativeTimeFormat>();

function formatOf(language: Language, numeric: 'always' | 'auto'): Intl.RelativeTimeFormat {
  const name = `${language} ${numeric}`;
  const found =
    formats.get(name) ?? new Intl.RelativeTimeFormat(localeOf(language), { style: 'short', numeric });
  formats.set(name, found);
  return found;
}

/** @param ms  negative for what was */
function relative(ms: number, language: Language): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  // "now", in words.
  if (seconds < 2) return formatOf(language, 'auto').format(0, 'second');
  const { unit, seconds: length } = steps.find((step) => seconds < step.seconds * step.most) ?? steps[5];
  const amount = Math.round(seconds / length);
  return formatOf(language, 'always').format(ms < 0 ? -amount : amount, unit);
}

/** As the admin API writes it. */
export function dateOf(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}
