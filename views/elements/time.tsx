import { usePresentation } from '../presentation.ts';
import { momentText } from './moment.ts';

/** A moment in the zone that the reader has chosen; without a choice in UTC by name, until script says it in the browser's. */
export function Time({ at }: { readonly at: Date }) {
  const { zone, language } = usePresentation();
  return <time dateTime={at.toISOString()}>{momentText(at, zone, language)}</time>;
}
