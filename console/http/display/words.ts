/** Words as they are typed and as they are said. In German a word may be part of a longer one, and `ä` be typed as `ae`. */
import type { Language } from '../../../views/elements/moment.ts';

const spelt: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };
/** Shorter ones stand in too many others. */
const shortestPart = 4;
/** Of what is said of a thing: two letters begin too many words. */
const shortestSaid = 3;

/** In one spelling. */
export function folded(text: string): string {
  return text.toLowerCase().replace(/[äöüß]/g, (letter) => spelt[letter]!);
}

/** Those that are typed; articles alone are looked for as they are. */
export function wordsOf(text: string): readonly string[] {
  const all = folded(text).split(/\s+/).filter(Boolean);
  const meant = all.filter((word) => !articles.test(word));
  return meant.length > 0 ? meant : all;
}

const articles = /^(?:the|der|die|das|dem|den|des|eine[nrms]?|ein)$/;

/** Each word that is typed begins one of these words; in German it may be a part of one. */
export function namesWords(said: string, typed: string, language: Language): boolean {
  const words = partsOf(said);
  return wordsOf(typed).every((word) => isIn(words, word, language));
}

/** The same of a sentence. @param word  one that is typed, in the one spelling */
export function saysWord(said: string, word: string, language: Language): boolean {
  return word.length >= shortestSaid && isIn(partsOf(said), word, language);
}

/** The name of a thing or what is said of it has each word that is typed. */
export function findsWords(
  name: string,
  said: readonly string[],
  typed: string,
  language: Language,
): boolean {
  const names = partsOf(name);
  return wordsOf(typed).every(
    (word) => isIn(names, word, language) || said.some((one) => saysWord(one, word, language)),
  );
}

function isIn(words: readonly string[], typed: string, language: Language): boolean {
  const isPart = language === 'de' && typed.length >= shortestPart;
  return words.some((word) => word.startsWith(typed) || (isPart && word.includes(typed)));
}

/** A name such as `CONSOLE_URL` is one word, beside its parts. */
function partsOf(text: string): readonly string[] {
  const whole = wordsOf(text);
  return [...whole, ...folded(text).split(/[^\p{L}\p{N}]+/u)].filter(Boolean);
}
