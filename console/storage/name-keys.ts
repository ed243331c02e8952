/** What names are compared by: two that fold alike are one name, and no two may look alike (UTS #39 §5, in short). */

/** The same characters, however they were typed. */
export function normalName(text: string): string {
  return text.normalize('NFKC');
}

/** Two spellings of one name are one name. */
export function foldedName(username: string): string {
  return normalName(username).toLowerCase();
}

/** Letters of other scripts, and digits, that are drawn like a Latin letter; capitals as they are drawn. */
const lookalikes: ReadonlyMap<string, string> = new Map(
  [
    ['аαᴀа', 'a'],
    ['АΑ', 'a'],
    ['ВΒвβ', 'b'],
    ['СсϹϲ', 'c'],
    ['ԁ', 'd'],
    ['ЕеΕ', 'e'],
    ['ցɡ', 'g'],
    ['НһΗհ', 'h'],
    ['ІіΙιı', 'i'],
    ['ЈјϳͿ', 'j'],
    ['КкΚκ', 'k'],
    ['I1ӏӀ', 'l'],
    ['МмΜ', 'm'],
    ['Νո', 'n'],
    ['0ОоΟοօՕ', 'o'],
    ['РрΡρ', 'p'],
    ['ԛ', 'q'],
    ['Ѕѕ', 's'],
    ['ТтΤτ', 't'],
    ['սυ', 'u'],
    ['νѵ', 'v'],
    ['ԝѡω', 'w'],
    ['ХхΧχ', 'x'],
    ['УуΥγүҮ', 'y'],
    ['Ζ', 'z'],
  ].flatMap(([drawn = '', as = '']) => [...drawn].map((letter): [string, string] => [letter, as])),
);

/** Equal for names that are drawn alike; most names are drawn like themselves. */
export function shapeOf(username: string): string {
  if (/^[a-z2-9._@-]*$/.test(username)) return username;
  const drawn = [...normalName(username)].map((letter) => lookalikes.get(letter) ?? letter);
  return drawn.join('').toLowerCase();
}
