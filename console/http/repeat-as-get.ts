/** A form that another site posts comes without the session cookie (SameSite=Lax); a navigation brings it. */
import type { Context } from 'koa';
import { ProblemError, problems } from '../../platform/errors.ts';

/** Characters; browsers and servers take no field, and no address, that is much longer. */
const longestAddress = 8_000;

/**
 * Sends the browser to the same address once more, with the parameters of its form in the query.
 *
 * @throws {ProblemError} `invalid_request` when they are more than an address can hold
 */
export function repeatAsGet(ctx: Context, parameters: Iterable<readonly [string, string]>): void {
  const query = new URLSearchParams();
  for (const [name, value] of parameters) query.append(name, value);
  const address = `${ctx.path}?${query}`;
  if (address.length > longestAddress) {
    throw new ProblemError(problems.invalidRequest, 'There is more in this form than an address can hold.');
  }
  ctx.status = 303;
  ctx.set('Cache-Control', 'no-store');
  ctx.redirect(address);
}
