/** How the demo calls the console: each machine with a token of its own. */

export interface Machine {
  readonly id: string;
  readonly secret: string;
  /** What it asks for; without it, for what the console gives without a word. */
  readonly scopes?: readonly string[];
}

export interface CallOptions {
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Of the body; text without it. */
  readonly type?: string;
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Response>;

/** A token is asked for anew this long before it ends. */
const marginMs = 30_000;

/**
 * @param resource  for which the machine's tokens are; without it, for the members
 * @returns what calls as this machine; the answer may be any, and has been read by whoever needs it
 */
export function createCalls(
  consoleUrl: string,
  machine: Machine,
  signal: AbortSignal,
  resource?: string,
): Call {
  const token = createTokenSource(consoleUrl, machine, signal, resource);
  return async (method, path, { body, type = 'text/plain' } = {}) =>
    fetch(consoleUrl + path, {
      method,
      headers: { Authorization: `Bearer ${await token()}`, 'Content-Type': type },
      signal,
      ...(body === undefined ? {} : { body }),
    });
}

/** Client credentials (docs/surface.md#machine-tokens); one token as long as it is good. */
function createTokenSource(
  consoleUrl: string,
  { id, secret, scopes }: Machine,
  signal: AbortSignal,
  resource: string | undefined,
): () => Promise<string> {
  let current = { token: '', until: 0 };
  return async () => {
    if (current.until > Date.now()) return current.token;
    const response = await fetch(`${consoleUrl}/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
        ...(resource === undefined ? {} : { resource }),
      }),
      signal,
    });
    if (!response.ok) throw new Error(`no token for ${id}: ${response.status}`);
    const answer = (await response.json()) as { access_token: string; expires_in: number };
    current = { token: answer.access_token, until: Date.now() + answer.expires_in * 1000 - marginMs };
    return current.token;
  };
}

/** A change by the admin API. @throws {Error} when the console refuses it */
export type Change = (method: string, path: string, body?: object | string) => Promise<unknown>;

/** @param call  of a machine whose tokens are for the admin API */
export function createChange(call: Call): Change {
  return async (method, path, body) => {
    const isFile = typeof body === 'string';
    const answer = await call(method, `/api/v1${path}`, {
      type: isFile ? 'application/octet-stream' : 'application/json',
      ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
    });
    return readGood(method, path, answer);
  };
}

/** @throws {Error} of an answer that is none of success */
export async function readGood(method: string, path: string, answer: Response): Promise<unknown> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
}
