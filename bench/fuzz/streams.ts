/** What callers might send: good requests, cut, glued and mutated. */
import type { Random } from './random.ts';

/** Bytes as Latin-1, in the pieces in which they are written, with a pause between. */
export type Stream = readonly string[];

const fields = 'Host: p\r\nAuthorization: Bearer token\r\n';
const request = (line: string, more = '', body = '') => `${line} HTTP/1.1\r\n${fields}${more}\r\n${body}`;
const withBody = (line: string, body: string, more = '') =>
  request(line, `${more}Content-Length: ${body.length}\r\n`, body);
const map = '/svc/rest/maps/m';

const requests: readonly string[] = [
  request(`GET ${map}/k`),
  request(`GET ${map}/k`, 'Accept: */*\r\nConnection: keep-alive\r\n'),
  request('GET /hazelcast/rest/maps/m/k'),
  request(`HEAD ${map}/k`),
  request(`DELETE ${map}/k`),
  request('GET /svc/rest/queues/q/size'),
  request('DELETE /svc/rest/queues/q/0'),
  request('GET /svc/health', 'Connection: close\r\n'),
  withBody(`POST ${map}/k`, 'abc', 'Content-Type: text/plain\r\n'),
  withBody(`PUT ${map}/k`, ''),
  withBody('POST /svc/rest/queues/q', 'item'),
  withBody('POST /svc/rest/queues/q/a%2Fb', 'x'),
  withBody(`POST ${map}/k`, 'e', 'Expect: 100-continue\r\n'),
  withBody(`POST ${map}/long`, 'v'.repeat(3_000)),
  // A body that looks like a request.
  withBody(`POST ${map}/k`, request(`DELETE ${map}/smuggled`)),
  request(`POST ${map}/k`, 'Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n'),
  request(`POST ${map}/k`, 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
  request(`GET ${map}/k`, 'Content-Length: 3\r\n', 'abc'),
  'GET /svc/health HTTP/1.0\r\nHost: p\r\n\r\n',
];

/** Where readers of HTTP are known to part. */
const bytes = [
  '\r',
  '\n',
  '\r\n',
  '\0',
  ':',
  ' ',
  '\t',
  ',',
  ';',
  '\xa0',
  '\x85',
  '\v',
  '\x7f',
  '\xff',
  '0',
  '1',
  '9',
  '-',
  '+',
  '%',
  '/',
  'x',
];
const lines = [
  'Content-Length: 1\r\n',
  'Content-Length: 3\xa0\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: chunked\t\r\n',
  'Transfer-Encoding : chunked\r\n',
  'Connection: close\r\n',
  'Host: q\r\n',
  'X-A: b\r\n c\r\n',
  'TE: trailers\r\n',
  'Upgrade: h2c\r\n',
  '\r\n',
];

export function makeStream(random: Random): Stream {
  const count = 1 + (random.once(2) ? random.below(4) : 0);
  const whole = Array.from({ length: count }, () => random.of(requests));
  const mutated = whole.map((text) => (random.once(3) ? text : mutate(text, random)));
  const glued = mutated.reduce<string[]>((chunks, text) => {
    if (chunks.length > 0 && random.once(2)) chunks.push(chunks.pop()! + text);
    else chunks.push(text);
    return chunks;
  }, []);
  return glued.flatMap((chunk) => (random.once(3) ? cut(chunk, random) : [chunk])).filter(Boolean);
}

function mutate(text: string, random: Random): string {
  let mutated = text;
  for (let times = 1 + random.below(3); times > 0; times -= 1) mutated = mutateOnce(mutated, random);
  return mutated;
}

function mutateOnce(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const byte = random.once(2) ? random.of(bytes) : String.fromCharCode(random.below(256));
  switch (random.below(6)) {
    case 0:
      return text.slice(0, at) + byte + text.slice(at + 1);
    case 1:
      return text.slice(0, at) + byte + text.slice(at);
    case 2:
      return text.slice(0, at) + text.slice(at + 1 + random.below(4));
    case 3: {
      const lineAt = text.indexOf('\r\n', at) + 2;
      return text.slice(0, lineAt) + random.of(lines) + text.slice(lineAt);
    }
    case 4: {
      const from = random.below(text.length);
      return text.slice(0, at) + text.slice(from, from + random.below(40)) + text.slice(at);
    }
    default:
      return text.replaceAll('\r\n', () => (random.once(8) ? '\n' : '\r\n'));
  }
}

function cut(text: string, random: Random): string[] {
  const places = Array.from({ length: 1 + random.below(3) }, () => random.below(text.length + 1)).sort(
    (a, b) => a - b,
  );
  return [0, ...places].map((from, i) => text.slice(from, places[i] ?? text.length));
}
