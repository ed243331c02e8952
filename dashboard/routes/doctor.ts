/** `POST /doctor`: the console asks what is seen of it from here. */
import type { Context } from 'koa';
import { ProblemError } from '../../platform/errors.ts';
import { problems } from '../errors.ts';
import type { Examine } from '../examination.ts';
import { readBody } from '../http/body.ts';
import { InvalidTokenError } from '../identity/signed-tokens.ts';

export function createDoctor(examine: Examine) {
  /** @throws {ProblemError} `invalid_request` for anything that the console has not signed for this, just now */
  return async function answerDoctor(ctx: Context): Promise<void> {
    const request = await readBody(ctx, 'application/jwt');
    try {
      ctx.body = await examine(request.trim());
      ctx.set('Cache-Control', 'no-store');
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      throw new ProblemError(problems.invalidRequest, `The request is refused: ${error.message}.`, {
        cause: error,
      });
    }
  };
}
