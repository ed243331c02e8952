import { runTask } from '../../../platform/process/task-process.ts';
import type { DynamicConfigurationConfig } from '../config.ts';
import { MemberConfigError } from '../config-error.ts';
import type { Addition } from './additions.ts';
import type { ConfigAnswer, ConfigTask } from './config-work.ts';
import type { FileEdit } from './file-edits.ts';

/**
 * Reads what a running member is to have more. What is large is read in a process of its own, and
 * written there: 256 KiB can be made so that a parser takes seconds for them, in which the member would answer nobody.
 *
 * @param file  what the messages call it
 * @throws {MemberConfigError} when it cannot be used
 */
export async function readAdditions(
  content: Uint8Array | string,
  file: string,
): Promise<readonly Addition[]> {
  const { additions = [] } = await carryOutTask({ kind: 'read', content, file }, content.length);
  return additions;
}

/** As `writeEdits` of `persist.ts`, and with its errors. */
export async function writeInto(
  file: string,
  edits: readonly FileEdit[],
  copies: DynamicConfigurationConfig,
): Promise<void> {
  await carryOutTask({ kind: 'write', file, edits, copies }, JSON.stringify(edits).length);
}

async function carryOutTask(task: ConfigTask, size: number): Promise<ConfigAnswer> {
  const { problems, code, ...answer } = await (size > largestHere ? workApart(task) : workHere(task));
  if (problems !== undefined) throw new MemberConfigError(problems);
  if (code !== undefined) throw Object.assign(new Error(`the configuration file: ${code}`), { code });
  return answer;
}

/** Bytes that are a matter of milliseconds, or tens of them, whatever they are. */
const largestHere = 8 * 1024;

async function workHere(task: ConfigTask): Promise<ConfigAnswer> {
  // Loaded only here: schema and parsers cost 110 ms, and most members are never told anything.
  const { carryOut } = await import('./config-work.ts');
  return carryOut(task);
}

async function workApart(task: ConfigTask): Promise<ConfigAnswer> {
  const answer = await runTask<ConfigAnswer>('member/config/changes/config-process', task, limits);
  if (answer === undefined) throw new MemberConfigError([`${task.file}: takes too much to read`]);
  return answer;
}

const limits = { heapMb: 512, durationMs: 30_000 } as const;
