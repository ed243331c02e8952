/** A configuration that cannot be used: `problems` has one line of text for each reason. */
export class MemberConfigError extends Error {
  override readonly name = 'MemberConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}
