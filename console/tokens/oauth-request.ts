/** How the form of an OAuth endpoint comes in, and how it goes on to the provider library. */
import type { IncomingMessage } from 'node:http';
import { OAuthError } from '../../platform/errors.ts';
import { libraryCredentials } from '../clients/client-metadata.ts';
import { type Form, FormError, readForm } from '../http/form.ts';
import type { ClientRecord } from '../storage/records.ts';

/**
 * The parameters of a POST request; one without a value counts as left out (RFC 6749 §3.1).
 *
 * @throws {OAuthError} `invalid_request`: 405 with `Allow` for another method (S7), 413 for a body over
 *   64 KiB, 400 for another type, a bad escape or a repeated parameter (S9); `invalid_target` for several resources
 */
export async function readParameters(req: IncomingMessage): Promise<Form> {
  if (req.method !== 'POST') {
    throw new OAuthError('invalid_request', 'use POST', { status: 405, headers: { Allow: 'POST' } });
  }
  try {
    return withoutEmpty(await readForm(req));
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    const { status, message, cause, repeated } = error;
    if (repeated === 'resource') throw severalResources(error);
    const headers: Record<string, string> = status === 413 ? { Connection: 'close' } : {};
    throw new OAuthError('invalid_request', message, { status, headers, cause });
  }
}

/** The one parameter that may be repeated elsewhere (RFC 8707 §2); a token here is for one resource (S96). */
function severalResources(cause: FormError): OAuthError {
  return new OAuthError('invalid_target', 'a token is for one resource: ask for each on its own', { cause });
}

function withoutEmpty(form: Form): Form {
  for (const value of form.values()) {
    if (value === '') return new Map([...form].filter(([, each]) => each !== ''));
  }
  return form;
}

/** The library would check them again, and knows none of them. */
const ownCredentials: ReadonlySet<string> = new Set([
  'client_secret',
  'client_assertion',
  'client_assertion_type',
]);

/**
 * Prepares a request whose client has been authenticated here for the library, which does that again: it
 * gets the credentials that it knows the client by, and the parameters as a body that can be read once more.
 */
export function handToProvider(req: IncomingMessage, form: Form, client: ClientRecord): void {
  const parameters = [...form].filter(([name]) => !ownCredentials.has(name));
  const body = Buffer.from(new URLSearchParams(parameters).toString());
  delete req.headers['transfer-encoding'];
  delete req.headers.authorization;
  Object.assign(req.headers, libraryCredentials(client), {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(body.length),
  });
  // The two members by which the library reads a body.
  Object.defineProperty(req, 'readable', { value: true });
  Object.defineProperty(req, 'iterator', {
    value: async function* () {
      yield body;
    },
  });
}
