const readable = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** A moment in UTC; the server does not know the reader's zone and says so. */
export function Time({ at }: { readonly at: Date }) {
  const parts = new Map(readable.formatToParts(at).map(({ type, value }) => [type, value]));
  const day = `${parts.get('day')} ${parts.get('month')} ${parts.get('year')}`;
  return <time dateTime={at.toISOString()}>{`${day}, ${parts.get('hour')}:${parts.get('minute')} UTC`}</time>;
}
