/** The process that reads a large text: it gets it, and answers with what it says as JSON. */
import '../../platform/no-prototype-access.ts';
import type { ProcessAnswer, ProcessTask } from './parse-apart.ts';
import { parseText } from './parse-text.ts';

// Without the console nobody waits for the answer.
process.once('disconnect', () => process.exit());
process.once('message', async ({ text, form }: ProcessTask) => {
  const parsed = await parseText(text, form);
  const answer: ProcessAnswer =
    parsed.problem === undefined ? { json: JSON.stringify(parsed.value ?? null) } : parsed;
  process.send?.(answer);
});
