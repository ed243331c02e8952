/** A part of a page that may not be had, while the others are. */
import { ProblemError } from '../../platform/errors.ts';
import type { NotRead } from '../../views/management/live/not-read.tsx';
import { asSentence } from '../../views/texts/text.ts';

/** What cannot be had is said in its place, and leaves the others as they are. */
export async function readPart<Part>(read: () => Promise<Part>): Promise<Part | NotRead> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ProblemError) return { notRead: asSentence(error.message) };
    throw error;
  }
}

/** Whether it could not be had now, from members or in time: what was asked for may be there all the same. */
export function isAway(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.problem.status > 500;
}

/** What cannot be had leaves its place empty, and the others as they are. */
export async function asPart<Part>(read: () => Promise<Part>): Promise<Part | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
