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

/** @param pointer  of the member that is wrong in the body of a call of the API, where it is one (RFC 6901) */
export function invalid(detail: string, pointer?: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail, {
    ...(pointer !== undefined && {
      members: { errors: [{ pointer: `#${pointer}`, code: 'invalid_value', detail }] },
    }),
  });
}
