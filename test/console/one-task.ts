/** A task as a test wants it: answered, never ended, too large, or ended without an answer. */
import { answerTask } from '../../platform/process/task-process.ts';

export type Wanted = { readonly how: 'answer' | 'endless' | 'large' | 'exit' | 'throw' };

answerTask(async ({ how }: Wanted) => {
  if (how === 'throw') throw new Error('of this task');
  if (how === 'exit') process.exit(3);
  while (how === 'endless');
  const all: number[][] = [];
  while (how === 'large') all.push(new Array<number>(1_000_000).fill(1));
  return { pid: process.pid, environment: Object.keys(process.env) };
});
