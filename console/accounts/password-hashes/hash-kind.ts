/** One way in which passwords were hashed. */
export interface HashKind {
  /** Whether a text, stored or from elsewhere, is of this kind. */
  readonly isOwn: (text: string) => boolean;
  /** @returns the form in which it is stored. @throws {InvalidHashError} */
  readonly read: (text: string) => string;
  /** Off the event loop. @param stored  from `read` */
  readonly verify: (stored: string, password: string) => Promise<boolean>;
  /** What one check costs, roughly in milliseconds: enough to say which of two costs more. */
  readonly cost: (stored: string) => number;
  /** One that costs as much to check, and that nobody has a password for. */
  readonly decoyOf: (stored: string) => string;
}
