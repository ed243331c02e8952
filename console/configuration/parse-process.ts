/** The process that reads a large text: it gets it, and answers with what it says as JSON. */
import '../../platform/no-prototype-access.ts';
import { answerTask } from '../../platform/process/task-process.ts';
import type { ParseAnswer, ParseTask } from './parse-apart.ts';
import { parseText } from './parse-text.ts';

answerTask(async ({ text, form }: ParseTask): Promise<ParseAnswer> => {
  const parsed = await parseText(text, form);
  return parsed.problem === undefined ? { json: JSON.stringify(parsed.value ?? null) } : parsed;
});
