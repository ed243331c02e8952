/** Calls of the admin API of a running console. */
import type { RunningConsole } from '../helpers/console.ts';

export interface ApiReply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what a body has is what tests ask
  readonly body: any;
}

export type ApiCaller = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<ApiReply>;

/** @param base  below `/api/v1` */
export function apiCaller({ url }: Pick<RunningConsole, 'url'>, base: string, token: string): ApiCaller {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}/api/v1${base}${path}`, {
      method,
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
}
