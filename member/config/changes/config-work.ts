import type { DynamicConfigurationConfig } from '../config.ts';
import { MemberConfigError } from '../config-error.ts';
import { readSection } from '../load.ts';
import { type Addition, additionsIn } from './additions.ts';
import type { FileEdit } from './file-edits.ts';
import { writeEdits } from './persist.ts';

export interface ConfigAnswer {
  readonly additions?: readonly Addition[];
  readonly problems?: readonly string[];
  /** Of an error of the file system. */
  readonly code?: string;
}

export type ConfigTask =
  | { readonly kind: 'read'; readonly content: Uint8Array | string; readonly file: string }
  | {
      readonly kind: 'write';
      readonly file: string;
      readonly edits: readonly FileEdit[];
      readonly copies: DynamicConfigurationConfig;
    };

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
