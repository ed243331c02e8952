/** Commands of a shell script, as words; what only a shell could know, such as `$NAME`, stays as it is written. */
export function commandsOf(script: string): readonly (readonly string[])[] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  const text = script.replaceAll(/\\\r?\n/g, ' ');
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let i = 0; i < text.length; i++) {
    const sign = text[i]!;
    if (quote !== undefined) {
      if (sign === quote) quote = undefined;
      else if (sign === '\\' && quote === '"' && /["\\$`]/.test(text[i + 1] ?? '')) word += text[++i]!;
      else word += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= '';
    } else if (sign === '\\') word = (word ?? '') + (text[++i] ?? '');
    else if (sign === '#' && word === undefined) {
      while (i < text.length && text[i] !== '\n') i++;
      endCommand();
    } else if (/[\n;&|]/.test(sign)) endCommand();
    else if (/\s/.test(sign)) endWord();
    else word = (word ?? '') + sign;
  }
  endCommand();
  return commands;
}
