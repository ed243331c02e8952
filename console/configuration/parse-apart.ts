/** Parses files for a console that goes on answering: ten thousand objects in YAML are more than a second's work. */
import { runTask } from '../../platform/process/task-process.ts';
import { type ParsedText, parseText, type TextForm } from './parse-text.ts';

/** Characters that are a matter of milliseconds, or tens of them, whatever they are. */
const largestHere = 8 * 1024;
const limits = { heapMb: 1024, durationMs: 60_000 } as const;

/** As {@link parseText}; a large text in a process of its own. */
export async function parseApart(text: string, form: TextForm): Promise<ParsedText> {
  if (text.length <= largestHere) return parseText(text, form);
  const task: ParseTask = { text, form };
  const parsed = await runTask<ParseAnswer>('console/configuration/parse-process', task, limits);
  if (parsed === undefined) return { problem: 'takes too much to read' };
  return parsed.json === undefined ? { problem: parsed.problem } : { value: JSON.parse(parsed.json) };
}

export interface ParseTask {
  readonly text: string;
  readonly form: TextForm;
}

/** What the process answers: text, since a value of thousands of objects takes longer to be read from a message. */
export type ParseAnswer =
  | { readonly json: string; readonly problem?: undefined }
  | { readonly json?: undefined; readonly problem: string };
