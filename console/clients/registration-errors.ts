/** How a registration is refused: for the administrator who typed it. */
import { ProblemError, problems } from '../../platform/errors.ts';

export function unique(values: readonly string[] = []): readonly string[] {
  return [...new Set(values)];
}

/** What was typed, short and without anything that a terminal would act on. */
export function shown(text: string): string {
  const visible = text.replace(/[^\x20-\x7e]/g, '?');
  return visible.length > 100 ? `${visible.slice(0, 100)}…` : visible;
}

export function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}
