/** Calls of the admin API about clients. */
import type { RunningConsole } from '../helpers/console.ts';

export interface ApiReply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what a reply holds is what the tests find out.
  readonly body: any;
  readonly tag: Readonly<Record<'If-Match', string>>;
}

export type CallApi = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<ApiReply>;

/** @param path  below `/api/v1` */
export function callsWith({ url }: Pick<RunningConsole, 'url'>, token: () => string): CallApi {
  return async (method, path, body, headers = {}) => {
    const reply = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token()}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return {
      status: reply.status,
      headers: reply.headers,
      body: text === '' ? undefined : JSON.parse(text),
      tag: { 'If-Match': reply.headers.get('etag') ?? '' },
    };
  };
}

/** A machine's own token. */
export async function tokenOf(
  { url }: Pick<RunningConsole, 'url'>,
  { id, secret }: { readonly id: string; readonly secret: string },
  parameters: Readonly<Record<string, string>> = {},
) {
  const reply = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...parameters }),
  });
  const body = (await reply.json()) as { access_token: string; expires_in: number; error?: string };
  return { status: reply.status, token: body.access_token, seconds: body.expires_in, error: body.error };
}
