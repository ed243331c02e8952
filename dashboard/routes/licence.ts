/** `POST /licence`: a licence update from the console. */
import type { Context } from 'koa';
import { ProblemError } from '../../platform/errors.ts';
import { problems } from '../errors.ts';
import { readBody } from '../http/body.ts';
import { InvalidTokenError } from '../identity/signed-tokens.ts';
import type { Licences } from '../licences.ts';
import type { Logger } from '../log.ts';

export function createLicenceReceiver({
  licences,
  log,
}: {
  readonly licences: Licences;
  readonly log: Logger;
}) {
  /** 200 acknowledges; anything else is to be sent again later. @throws {ProblemError} `invalid_request` */
  return async function receiveLicence(ctx: Context): Promise<void> {
    const update = await readBody(ctx, 'application/jwt');
    try {
      const { licence, isKept } = await licences.receive(update.trim());
      log.info({ licence: licence.id, isKept }, 'licence received');
      ctx.set('Cache-Control', 'no-store');
      ctx.body = { id: licence.id, kept: isKept };
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      throw new ProblemError(problems.invalidRequest, `The licence update is refused: ${error.message}.`, {
        cause: error,
      });
    }
  };
}
