/** Texts of pages by their keys, in the language of the page. */
import type { Language } from '../elements/moment.ts';
import { de } from './de.ts';
import { en, type TextKey, type TextsLike } from './en.ts';
import { saidInGerman } from './said.ts';
import type { TextForm } from './text-form.ts';

export const languages: Readonly<Record<Language, { readonly name: string; readonly texts: TextsLike }>> = {
  en: { name: 'English', texts: en },
  de: { name: 'Deutsch', texts: de },
};

export type Gaps = Readonly<Record<string, string | number>>;

/** With its gaps still open. @param n  that its form is for */
export function textForm(language: Language, key: TextKey, n = 0): string {
  const form: TextForm = languages[language].texts[key];
  if (typeof form === 'string') return form;
  return new Intl.PluralRules(language).select(n) === 'one' ? form.one : form.other;
}

export function textIn(language: Language, key: TextKey, gaps: Gaps = {}): string {
  return filled(textForm(language, key, Number(gaps.n ?? 0)), gaps);
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
    // What stands in a gap may be a sentence of ours too.
    if (gaps) {
      const inside = Object.entries(gaps).map(([name, text]) => [name, saidInGerman[text] ?? text]);
      return filled(german, Object.fromEntries(inside));
    }
  }
  return undefined;
}

function patternOf(said: string): RegExp {
  const source = said
    .split(/(\{\w+\})/)
    .map((part) =>
      /^\{\w+\}$/.test(part) ? `(?<${part.slice(1, -1)}>.+)` : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    )
    .join('');
  return new RegExp(`^${source}$`, 's');
}
