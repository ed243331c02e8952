// Calls to members take a token, and a page has none: the console makes those that read, as whoever is signed in.
const place = '/api/v1/me/call';

/** @param request  of Swagger UI: changed */
export function tryAtMembers(request) {
  const { pathname, search } = new URL(request.url, window.location.href);
  if (!pathname.startsWith('/svc/')) return;
  Object.assign(request, {
    url: place,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ path: pathname + search }),
  });
}

/** @param response  of Swagger UI. @returns what the member has answered; refused, why */
export function memberAnswerOf(response) {
  if (!response.ok || new URL(response.url, window.location.href).pathname !== place) return response;
  const { because, reply } = JSON.parse(response.text);
  if (!reply) {
    const refused = JSON.stringify({ status: 403, code: 'insufficient_scope', detail: because });
    return shown(response, 403, refused, { 'content-type': 'application/problem+json' });
  }
  const bytes = Uint8Array.from(atob(reply.value), (letter) => letter.charCodeAt(0));
  // What it takes for JSON it would read and write anew, and long numbers would be others.
  const headers = { 'type of the value': reply.type ?? 'unknown', 'answered by': reply.member };
  return shown(response, reply.status, new TextDecoder().decode(bytes), headers);
}

function shown(response, status, text, headers) {
  return { ...response, ok: status < 300, status, statusText: '', headers, text, data: text };
}
