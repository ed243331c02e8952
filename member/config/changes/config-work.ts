import { MemberConfigError } from '../config-error.ts';
import { readSection } from '../load.ts';
import { additionsIn } from './additions.ts';
import type { ConfigAnswer, ConfigTask } from './config-messages.ts';
import { writeEdits } from './persist.ts';

/** Reads or writes, and gives the errors that are expected as an answer: they cross between processes. */
export async function carryOut(task: ConfigTask): Promise<ConfigAnswer> {
  try {
    if (task.kind === 'read') {
      return { additions: additionsIn(readSection(task.content, { file: task.file }).section) };
    }
    await writeEdits(task.file, task.edits, task.copies);
    return {};
  } catch (error) {
    if (error instanceof MemberConfigError) return { problems: error.problems };
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { code };
  }
}
