/** Texts of pages by their keys, in the language of the page. */
import { type Language, localeOf } from '../elements/moment.ts';
import { saidInGerman } from './de/said.ts';
import { english, type TextKey } from './english.ts';
import { german } from './german.ts';
import type { GapsIn, SameTexts, TextForm } from './text-form.ts';

export const languages: Readonly<
  Record<Language, { readonly name: string; readonly texts: SameTexts<typeof english> }>
> = {
  en: { name: 'English', texts: english },
  de: { name: 'Deutsch', texts: german },
};

/** The gaps that a text has. */
export type GapOf<K extends TextKey> = GapsIn<(typeof english)[K]>;

/** What stands in gaps; numbers are written as the language writes them. */
export type Gaps = Readonly<Record<string, string | number>>;

type GapsOf<K extends TextKey> = [GapOf<K>] extends [never]
  ? readonly []
  : readonly [gaps: Readonly<Record<GapOf<K>, string | number>>];

/** A text by its key, with what stands in its gaps: one that is missing is an error of types. */
export interface Translate {
  <K extends TextKey>(key: K, ...gaps: GapsOf<K>): string;
  readonly language: Language;
}

/** Keys of texts without gaps: for tables of words. */
export type WordKey = { [K in TextKey]: [GapOf<K>] extends [never] ? K : never }[TextKey];

const translations = new Map<Language, Translate>();

/** The texts of a language. */
export function textsIn(language: Language): Translate {
  const found: Translate =
    translations.get(language) ??
    Object.assign(<K extends TextKey>(key: K, ...[gaps]: GapsOf<K>) => textIn(language, key, gaps), {
      language,
    });
  translations.set(language, found);
  return found;
}

/** With its gaps still open. @param n  that its form is for */
export function textForm(language: Language, key: TextKey, n = 0): string {
  const form: TextForm = languages[language].texts[key];
  if (typeof form === 'string') return form;
  return pluralRules(language).select(n) === 'one' ? form.one : form.other;
}

const rules = new Map<Language, Intl.PluralRules>();

function pluralRules(language: Language): Intl.PluralRules {
  const found = rules.get(language) ?? new Intl.PluralRules(localeOf(language));
  rules.set(language, found);
  return found;
}

const numbers = new Map<string, Intl.NumberFormat>();

/** As the language writes it: `1,024` or `1.024`. */
export function numberIn(
  language: Language,
  value: number,
  options: { readonly maximumSignificantDigits?: number } = {},
): string {
  const name = `${language} ${options.maximumSignificantDigits}`;
  const format = numbers.get(name) ?? new Intl.NumberFormat(localeOf(language), options);
  numbers.set(name, format);
  return format.format(value);
}

const lists = new Map<Language, Intl.ListFormat>();

/** As the language writes it: `a, b, and c` or `a, b und c`. */
export function listIn(language: Language, words: readonly string[]): string {
  const format = lists.get(language) ?? new Intl.ListFormat(localeOf(language));
  lists.set(language, format);
  return format.format(words);
}

export function textIn(language: Language, key: TextKey, gaps: Gaps = {}): string {
  const written = Object.entries(gaps).map(([name, value]) => [
    name,
    typeof value === 'number' ? numberIn(language, value) : value,
  ]);
  return filled(textForm(language, key, Number(gaps.n ?? 0)), Object.fromEntries(written));
}

function filled(form: string, gaps: Gaps): string {
  return form.replace(/\{(\w+)\}/g, (gap, name: string) => String(gaps[name] ?? gap));
}

/** Those with gaps, by what they look like when the gaps are filled. */
const patterns = Object.entries(saidInGerman)
  .filter(([said]) => said.includes('{'))
  .map(([said, german]) => ({ pattern: patternOf(said), german }));

/** @returns undefined where nobody has said it in this language */
export function saidIn(language: Language, sentence: string): string | undefined {
  if (language === 'en') return sentence;
  const whole = saidInGerman[sentence];
  if (whole !== undefined && Object.hasOwn(saidInGerman, sentence)) return whole;
  for (const { pattern, german } of patterns) {
    const gaps = pattern.exec(sentence)?.groups;
    // What stands in a gap may be a sentence of ours too, which begins in a capital where it stands alone.
    if (gaps) {
      const inside = Object.entries(gaps).map(([name, text]) => [
        name,
        saidIn(language, text) ?? saidIn(language, asSentence(text)) ?? text,
      ]);
      return filled(german, Object.fromEntries(inside));
    }
  }
  return undefined;
}

/** What ends another sentence, alone. */
export function asSentence(text: string): string {
  const end = /[.!?]$/.test(text) ? '' : '.';
  return text.charAt(0).toUpperCase() + text.slice(1) + end;
}

/** `n` stands for a number, as in texts. */
function patternOf(said: string): RegExp {
  const source = said
    .split(/(\{\w+\})/)
    .map((part) =>
      /^\{\w+\}$/.test(part)
        ? `(?<${part.slice(1, -1)}>${part === '{n}' ? '\\d+' : '.+'})`
        : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    )
    .join('');
  return new RegExp(`^${source}$`, 's');
}
