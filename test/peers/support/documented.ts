/** What docs/applications.md tells people to paste, for this test's addresses. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { program, root, run } from '../../commands/support.ts';

export interface Documented {
  readonly commands: readonly string[];
  /** For Apache. */
  readonly configurations: readonly string[];
  /** Paths with a query. */
  readonly links: readonly string[];
}

/**
 * Blocks of one section.
 *
 * @param replaced  what stands in the document, and what to put there
 * @throws {Error} when the document does not have something that is to be replaced
 */
export function documented(section: string, replaced: Readonly<Record<string, string>>): Documented {
  const whole = readFileSync(join(root, 'docs/applications.md'), 'utf8');
  let text = whole.split(/^## /m).find((one) => one.startsWith(`${section}\n`)) ?? '';
  for (const [from, to] of Object.entries(replaced)) {
    if (!text.includes(from)) throw new Error(`docs/applications.md, ${section}: there is no ${from}`);
    text = text.replaceAll(from, to);
  }
  const blocks = (language: string) =>
    [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].flatMap(([, of, block]) =>
      of === language ? [block!] : [],
    );
  return {
    commands: blocks('sh'),
    configurations: blocks('apache'),
    links: [...text.matchAll(/`(\/[^` ]+\?[^` ]+)`/g)].map(([, link]) => link!),
  };
}

/** Runs a line that begins with `npx console client add`. @returns the secret that it prints */
export async function pasteClientAdd(
  line: string,
  console: { readonly dataDir: string; readonly url: string },
): Promise<string> {
  const npx = `npx() { shift; "${process.execPath}" "${program}" "$@"; }`;
  const { code, stdout, stderr } = await run('bash', ['-c', `set -e\n${npx}\n${line}`], {
    dataDir: console.dataDir,
    env: { CONSOLE_URL: console.url },
  });
  const secret = /shown only now:\s+(\S+)/.exec(stdout)?.[1];
  if (code !== 0 || secret === undefined) throw new Error(`${line} exited ${code}\n${stdout}\n${stderr}`);
  return secret;
}
