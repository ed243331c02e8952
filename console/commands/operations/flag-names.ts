/** What an operation says of its members, said of the flags by which they were given. */
import { ProblemError } from '../../../platform/errors.ts';
import { ReportedFailure } from '../runner/reported-failure.ts';

interface MemberError {
  readonly pointer: string;
}

/**
 * What an operation refuses names members of its body: in `errors`, or between backticks. Who typed flags knows those.
 *
 * @param flagOf  from the name of a member; undefined: it stays
 * @throws {Error} what `work` throws, in the words of flags
 */
export async function inFlags<T>(
  flagOf: (member: string) => string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw reworded(error, flagOf);
  }
}

/** The same for flags of which operations say nothing by name. @throws {Error} what `work` throws, in the words of flags */
export async function inConditionFlags<T>(work: () => Promise<T>): Promise<T> {
  const said = (message: string) => message.replace('say takeOver=true', 'say --take-over');
  try {
    return await work();
  } catch (error) {
    if (error instanceof ReportedFailure) {
      throw new ReportedFailure({ ...error.failure, message: said(error.failure.message) });
    }
    if (!(error instanceof ProblemError) || said(error.message) === error.message) throw error;
    throw new ProblemError(error.problem, said(error.message), { members: error.members, cause: error });
  }
}

/** On a store of this process errors come as they are. */
function reworded(error: unknown, flagOf: (member: string) => string | undefined): unknown {
  if (error instanceof ReportedFailure) {
    const { message, errors } = error.failure;
    return new ReportedFailure({ ...error.failure, message: inWords(message, errors, flagOf) });
  }
  if (!(error instanceof ProblemError)) return error;
  const { errors } = error.members;
  const message = inWords(error.message, errors, flagOf);
  return new ProblemError(error.problem, message, { members: error.members, cause: error });
}

function inWords(message: string, errors: unknown, flagOf: (member: string) => string | undefined): string {
  const pointers = Array.isArray(errors)
    ? (errors as readonly MemberError[]).map(({ pointer }) => pointer)
    : [];
  const ofForm = pointers.reduce((said, pointer) => {
    const path = pointer.replace(/^(#\/|\?)/, '').split('/');
    const flag = flagOf(path[0] ?? '');
    return flag === undefined ? said : said.replace(`${path.join('.')} (`, `${flag} (`);
  }, message);
  return ofForm.replace(/`(\w+)`/g, (whole, member: string) => flagOf(member) ?? whole);
}
