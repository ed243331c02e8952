/** What the doctor says of one thing: how it is, why, and what to change. */

export interface Finding {
  /** What was looked at, in a few words. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  /** One or two sentences without secrets. */
  readonly reason: string;
  /** The setting or command that puts it right; absent when all is well. */
  readonly fix?: string;
}

/** Findings about one thing; call it `say`, and the lines read aloud. */
export function about(check: string) {
  return {
    ok: (reason: string): Finding => ({ check, state: 'ok', reason }),
    warning: (reason: string, fix: string): Finding => ({ check, state: 'warning', reason, fix }),
    problem: (reason: string, fix: string): Finding => ({ check, state: 'problem', reason, fix }),
  };
}
