/** What a setting means, as documents and pages say it. */
import type { Language } from '../../elements/moment.ts';
import { languages, saidIn } from '../../texts/text.ts';

interface Meant {
  /** Of the table of settings: no sentence, and with names between backquotes. */
  readonly meaning: string;
}

/** A sentence in English, which others are made of. */
export function meaningOf({ meaning }: Meant): string {
  const plain = meaning.replaceAll('`', '');
  // A command stands as it is typed.
  const first = meaning.startsWith('`') ? plain.charAt(0) : plain.charAt(0).toUpperCase();
  return `${first}${plain.slice(1)}.`;
}

/** The sentence in each language of the pages: whoever looks for a setting may have read of it in any. */
export function meaningsOf(setting: Meant): ReadonlyMap<Language, string> {
  const english = meaningOf(setting);
  const all = (Object.keys(languages) as Language[]).map(
    (language) => [language, saidIn(language, english) ?? english] as const,
  );
  return new Map(all);
}
