/** An act on many things as commands and as a call of the admin API. */
import type { Snippet } from '../../../views/management/snippets.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { shellWord, waysOf } from '../ways/change-ways.ts';
import type { AskedAct } from './bulk-acts.ts';

/**
 * @param body    what the operation gets
 * @param origin  of this console
 */
export async function bulkWays(
  { command }: AskedAct,
  body: Readonly<Record<string, unknown>> & { readonly ids?: readonly string[] },
  origin: string,
  t: Translate,
): Promise<readonly Snippet[]> {
  const api = await waysOf({ operation: 'createBulkAct', body, command: [], hasNoCommand: true }, origin, t);
  if (!body.ids) return api;
  // One after the other: a command does one thing.
  const lines = body.ids.map((id) => ['npx console', ...command, shellWord(id)].join(' '));
  return [{ language: t('frame.command'), text: lines.join('\n') }, ...api];
}
