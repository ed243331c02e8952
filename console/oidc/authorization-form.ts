/** `POST /oauth2/authorize` (OpenID Connect Core §3.1.2.1): an authorization request as a form. */
import type { Context } from 'koa';
import { readPairs } from '../http/form.ts';
import { repeatAsGet } from '../http/repeat-as-get.ts';

/**
 * Goes on as the same request by GET, where it is checked. What is there twice stays there twice, and what stands in
 * the address as well, so that both are refused as they are there.
 *
 * @throws {FormError} for a body that is no form, or too large
 * @throws {ProblemError} `invalid_request` when it is more than an address can hold
 */
export async function repeatAuthorization(ctx: Context): Promise<void> {
  const inAddress = new URLSearchParams(ctx.querystring);
  repeatAsGet(ctx, [...inAddress, ...(await readPairs(ctx.req))]);
}
