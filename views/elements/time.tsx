import { usePresentation } from '../presentation.ts';
import { momentText } from './moment.ts';

/** A moment in the zone of the reader; where that is not known yet in UTC, by name. */
export function Time({ at }: { readonly at: Date }) {
  const { zone, language } = usePresentation();
  return <time dateTime={at.toISOString()}>{momentText(at, zone, language)}</time>;
}
