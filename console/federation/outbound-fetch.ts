/** The guarded client in the shape of `fetch`, for libraries that make requests of their own (S42). */
import type { CustomFetch, FetchBody } from 'openid-client';
import type { Outbound, OutboundRequest } from '../http/outbound/outbound.ts';
import type { OutboundResponse } from '../http/outbound/outbound-exchange.ts';

/**
 * Follows no redirect, whatever is asked for. What {@link Outbound.send} throws reaches the caller as
 * it is, or as the `cause` of what the library makes of it.
 */
export function createOutboundFetch(outbound: Pick<Outbound, 'send'>): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const text = textOf(body);
    return responseOf(
      await outbound.send({
        url,
        method: methodOf(method),
        headers,
        ...(text === undefined ? {} : { body: text }),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  };
}

function methodOf(method: string): NonNullable<OutboundRequest['method']> {
  if (method === 'GET' || method === 'POST') return method;
  throw new TypeError(`the guarded client knows no ${method}`);
}

function textOf(body: FetchBody): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new TypeError('the guarded client sends text only');
}

/** A status that `Response` does not take (RFC 9110 §15 knows none above 599) is a `RangeError`. */
function responseOf({ status, headers, body }: OutboundResponse): Response {
  const fields = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((line): [string, string] => [name, line]),
  );
  const hasNoBody = status === 204 || status === 205 || status === 304;
  return new Response(hasNoBody ? null : body, { status, headers: fields });
}
