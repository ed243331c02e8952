/** What docs/applications.md tells people to paste, for this test's addresses. */
import { program, run } from '../../commands/support.ts';
import { recipe } from './recipe.ts';

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
  const { blocks, text } = recipe('applications.md', replaced, section);
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
