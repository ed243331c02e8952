export interface Failure {
  /** 1 refused or failed, 2 wrong usage, 78 bad settings. */
  readonly exitCode: 1 | 2 | 78;
  /** For programs; the codes of `docs/errors.md` and a few more. */
  readonly code: string;
  readonly message: string;
  readonly problems?: readonly string[];
  /** Of input: `{pointer, code, detail}` for each member that is wrong. */
  readonly errors?: readonly object[];
  /** The version of now, where it is not the one that was named. */
  readonly current?: string;
  /** Of the console's answer. */
  readonly requestId?: string;
}
