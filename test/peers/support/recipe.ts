/** What a page of docs/ tells people to paste, for this test's addresses. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../commands/support.ts';

export interface Recipe {
  /** Blocks of one language, in their order. */
  blocks(language: string): readonly string[];
  readonly text: string;
}

/**
 * @param file      below docs/
 * @param replaced  what stands in the document, and what to put there
 * @param section   a heading of level 2; the whole page unless given
 *
 * @throws {Error} when the document does not have something that is to be replaced
 */
export function recipe(file: string, replaced: Readonly<Record<string, string>>, section?: string): Recipe {
  const whole = readFileSync(join(root, 'docs', file), 'utf8');
  let text =
    section === undefined
      ? whole
      : (whole.split(/^## /m).find((one) => one.startsWith(`${section}\n`)) ?? '');
  for (const [from, to] of Object.entries(replaced)) {
    if (!text.includes(from)) throw new Error(`docs/${file}, ${section ?? 'the page'}: there is no ${from}`);
    text = text.replaceAll(from, to);
  }
  return {
    text,
    blocks: (language) =>
      [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].flatMap(([, of, block]) =>
        of === language ? [block!] : [],
      ),
  };
}
