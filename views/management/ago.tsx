import { exactText } from '../elements/moment.ts';
import { usePresentation } from '../presentation.ts';

interface AgoProps {
  /** Nothing: it has not happened. */
  readonly at: Date | undefined;
  readonly now: Date;
  /** What is said where it has not. */
  readonly never?: string;
}

/** How long ago something was, or how soon it will be; the moment itself for who points at it, and for programs. */
export function Ago({ at, now, never = 'Never' }: AgoProps) {
  const { zone } = usePresentation();
  if (!at) return <span class="muted">{never}</span>;
  return (
    <time data-relative="" dateTime={at.toISOString()} title={exactText(at, zone)}>
      {relative(at.getTime() - now.getTime())}
    </time>
  );
}

const steps = [
  { unit: 's', seconds: 1, most: 60 },
  { unit: 'min', seconds: 60, most: 60 },
  { unit: 'h', seconds: 3600, most: 24 },
  { unit: 'd', seconds: 86_400, most: 60 },
  { unit: 'months', seconds: 2_629_746, most: 24 },
  { unit: 'years', seconds: 31_556_952, most: Number.POSITIVE_INFINITY },
] as const;

/** @param ms  negative for what was */
function relative(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 2) return 'now';
  const { unit, seconds: length } = steps.find((step) => seconds < step.seconds * step.most) ?? steps[5];
  const amount = `${Math.round(seconds / length)} ${unit}`;
  return ms < 0 ? `${amount} ago` : `in ${amount}`;
}

/** As the admin API writes it. */
export function dateOf(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}
