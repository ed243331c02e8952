/** Settings are found by their names and by what they mean, in the words of any language. */
import { meaningsOf } from '../../../views/management/settings/setting-meaning.ts';
import { findsWords } from './words.ts';

/** @param typed  words, each of which begins one of the name or of the meaning in the same language */
export function findsSetting(
  setting: { readonly id: string; readonly meaning: string },
  typed: string,
): boolean {
  return [...meaningsOf(setting)].some(([language, meaning]) =>
    findsWords(setting.id, [meaning], typed, language),
  );
}
