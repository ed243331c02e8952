/** Forms of a session carry its token, and come from one of our own pages (S31, S50). */
import type { Context } from 'koa';
import { ProblemError } from '../../platform/errors.ts';
import { isSameText } from '../../platform/secret.ts';
import { problems } from '../errors.ts';
import type { OwnAddresses } from './own-address.ts';

/** @throws {ProblemError} `csrf_failed` */
export function checkForm(
  ctx: Context,
  { form, csrf, addresses }: { form: ReadonlyMap<string, string>; csrf: string; addresses: OwnAddresses },
): void {
  const origin = ctx.get('Origin');
  if (origin !== '' && !addresses.hasOrigin(origin)) throw denied('The form came from another site.');
  const site = ctx.get('Sec-Fetch-Site');
  if (site !== '' && site !== 'same-origin' && site !== 'none')
    throw denied('The form came from another site.');
  if (!isSameText(form.get('csrf') ?? '', csrf))
    throw denied('The form is too old. Open the page anew and try again.');
}

function denied(detail: string): ProblemError {
  return new ProblemError(problems.csrfFailed, detail);
}
