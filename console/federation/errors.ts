/** What goes wrong between an administrator, a person and a provider, as a row of the problem table. */
import { ProblemError, problems } from '../../platform/errors.ts';
import { FederationError, type FederationErrorCode } from './connector.ts';

const rows: Readonly<Record<FederationErrorCode, (typeof problems)[keyof typeof problems]>> = {
  login_failed: problems.loginFailed,
  forbidden: problems.forbidden,
  invalid_request: problems.invalidRequest,
};

/** What a page answers with: the row of the problem table, with the status that tells more. @returns other errors as they are */
export function asProblemError(error: unknown): unknown {
  if (!(error instanceof FederationError)) return error;
  const { code, status, message } = error;
  // Sentences of the protocols' own checks end without a full stop.
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  return new ProblemError({ ...rows[code], status }, sentence, { cause: error });
}

/** What an administrator says of a provider and cannot be; the message says what to change. */
export class ProviderInputError extends ProblemError {
  /** @param field  of the API's object, where the message is of one */
  constructor(message: string, { field, cause }: { readonly field?: string; readonly cause?: unknown } = {}) {
    const errors =
      field === undefined ? [] : [{ pointer: `#/${field}`, code: 'invalid_value', detail: message }];
    super(problems.invalidRequest, message, { cause, ...(errors.length > 0 && { members: { errors } }) });
  }
}
