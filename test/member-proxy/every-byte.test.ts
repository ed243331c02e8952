/**
 * Each of 256 bytes at each position of each field, put in, put over and put twice: what the short ways read of a request
 * and of a member's reply is what Node's parser reads, or they leave it alone (S63, S102).
 */
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createReplyReader } from '../../http/client/reply-reader.ts';
import type { PlainFields } from '../../http/server/fast-path/plain-fields.ts';
import { type PlainRequest, readPlainRequest } from '../../http/server/fast-path/plain-request.ts';
import { memberPaths, serverOptions } from '../../http/server/server-options.ts';

/** Every so many of all; `EVERY_BYTE=1` looks at each, which takes minutes. */
const stride = Number(process.env.EVERY_BYTE ?? 29);

interface Reading {
  /** Start line and fields as they were taken apart. */
  readonly head: readonly string[];
  readonly body: string;
}

/** Every byte at every position of a text: in front of what is there, in place of it, and in place of it and what follows. */
function* everyByte(text: string): Generator<string> {
  for (let at = 0; at <= text.length; at += 1) {
    for (let byte = 0; byte < 256; byte += 1) {
      for (const left of [0, 1, 2])
        yield text.slice(0, at) + String.fromCharCode(byte) + text.slice(at + left);
    }
  }
}

function sampled(texts: readonly string[]): string[] {
  const all: string[] = [];
  let turn = 0;
  for (const text of texts) {
    for (const mutated of everyByte(text)) {
      turn += 1;
      // The bytes that readers are known to disagree on are looked at in any case.
      if (turn % stride === 0 || isDisputed(mutated)) all.push(mutated);
    }
  }
  return all;
}

/** What JavaScript or C take for blank, or for an end. */
function isDisputed(text: string): boolean {
  return ['\0', '\v', '\f', '\x1c', '\x1f', '\x7f', '\x85', '\xa0'].some((byte) => text.includes(byte));
}

/** A connection without a network: what goes in at one end comes out at the other. */
function pipe(): readonly [Duplex, Duplex] {
  const ends: Duplex[] = [0, 1].map(
    (own) =>
      new Duplex({
        read() {},
        write(bytes, _encoding, done) {
          ends[1 - own]!.push(bytes);
          done();
        },
        final(done) {
          ends[1 - own]!.push(null);
          done();
        },
      }),
  );
  for (const end of ends)
    Object.assign(end, { setTimeout() {}, setNoDelay() {}, setKeepAlive() {}, ref() {}, unref() {} });
  return [ends[0]!, ends[1]!];
}

function readingOf(plain: PlainRequest | undefined): Reading | undefined {
  if (plain === undefined) return undefined;
  const { method, url, fields, body } = plain;
  return { head: [method, url, '1.1', ...fields.rawHeaders], body: body?.toString('latin1') ?? '' };
}

/** Bytes go through at once: who has read nothing by then waits for more. */
function destroyLater(resolve: (nothing: undefined) => void): void {
  setTimeout(() => resolve(undefined), 2_000).unref();
}

/** What Node's server makes of bytes; undefined when it refuses them, or waits for more. */
function readByServer(server: Server, bytes: string): Promise<Reading | undefined> {
  const [near, far] = pipe();
  return new Promise((resolve) => {
    server.removeAllListeners('request').removeAllListeners('clientError');
    server.on('clientError', () => resolve(undefined));
    server.on('request', (req: IncomingMessage) => {
      let body = '';
      req.setEncoding('latin1').on('data', (part: string) => {
        body += part;
      });
      req.once('end', () => {
        const { method, url, httpVersion, rawHeaders } = req;
        resolve({ head: [method!, url!, httpVersion, ...rawHeaders], body });
      });
    });
    server.emit('connection', far);
    near.write(Buffer.from(bytes, 'latin1'));
    destroyLater(resolve);
  }).finally(() => {
    near.destroy();
    far.destroy();
  }) as Promise<Reading | undefined>;
}

/** Node's parser takes none of them for what they look like. */
const framings = [
  'Content-Length: 5\xa0',
  'Content-Length: 5\x85',
  'Content-Length: 5\t',
  'Content-Length: 5 \t ',
  'Transfer-Encoding: chunked\xa0',
  'Transfer-Encoding: chunked\t',
];

describe('a request (D1)', () => {
  const requests: readonly string[] = [
    'GET /svc/rest/maps/m/k HTTP/1.1\r\nHost: p\r\nAuthorization: Bearer a\r\n\r\n',
    'POST /svc/rest/maps/m/k?a=b HTTP/1.1\r\nHost: p:80\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nabcde',
    'PUT /hazelcast/rest/queues/q HTTP/1.1\r\nHost: p\r\nConnection: keep-alive \t\r\ncontent-length:\t1 \r\n\r\nx',
    'DELETE /members/p:1/svc/rest/maps/m HTTP/1.1\r\nUser-Agent:\t a  b \r\nHost: p\r\nX-A:\r\n\r\n',
    'POST /svc/rest/maps/m/k HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
  ];

  test('is read by the fast path as by Node’s server, or left to it', async () => {
    const server = createServer(serverOptions);
    let taken = 0;
    for (const text of sampled(requests)) {
      const bytes = Buffer.from(text, 'latin1');
      const plain = readPlainRequest(bytes, memberPaths, undefined);
      if (plain === undefined) continue;
      taken += 1;
      expect([text, readingOf(plain)]).toEqual([text, await readByServer(server, text)]);
    }
    expect(taken).toBeGreaterThan(1_000);
  }, 600_000);

  test('is read behind one with other fields, or the same, as if it were the first', () => {
    const read = (text: string, last?: PlainFields) =>
      readPlainRequest(Buffer.from(text, 'latin1'), memberPaths, last);
    let repeated = 0;
    for (const first of requests) {
      const last = read(first)?.fields;
      if (last === undefined) continue;
      for (const text of sampled([first])) {
        const behind = read(text, last);
        expect([text, readingOf(behind)]).toEqual([text, readingOf(read(text))]);
        if (behind?.fields === last) repeated += 1;
      }
    }
    expect(repeated).toBeGreaterThan(100);
  });

  test.each(framings)('is never taken with %j', (field) => {
    const text = `POST /svc/rest/maps/m/k HTTP/1.1\r\nHost: p\r\n${field}\r\n\r\nabcde`;
    expect(readPlainRequest(Buffer.from(text, 'latin1'), memberPaths, undefined)).toBeUndefined();
  });
});

/** What Node's client makes of a reply, as far as it came; undefined when it refuses it. */
function readByClient(method: string, bytes: string): Promise<Reading | undefined> {
  const [near, far] = pipe();
  return new Promise((resolve) => {
    const asked = httpRequest({
      method,
      path: '/',
      createConnection: () => near,
    } as object);
    asked.on('error', () => resolve(undefined));
    asked.on('upgrade', () => resolve(undefined));
    asked.on('response', (reply) => {
      let body = '';
      reply.setEncoding('latin1').on('data', (part: string) => {
        body += part;
      });
      reply.once('error', () => resolve(undefined));
      reply.once('end', () => {
        const { statusCode, statusMessage, rawHeaders } = reply;
        resolve({ head: [String(statusCode), statusMessage!, ...rawHeaders], body });
      });
    });
    far.once('data', () => setImmediate(() => far.write(Buffer.from(bytes, 'latin1'))));
    asked.end();
    destroyLater(resolve);
  }).finally(() => {
    near.destroy();
    far.destroy();
  }) as Promise<Reading | undefined>;
}

/** What the client to members makes of it, and of how much: with bytes behind a reply it closes the connection. */
function readByProxy(method: string, bytes: string): (Reading & { readonly length: number }) | undefined {
  let head: readonly string[] = [];
  let body = '';
  let isWhole = false;
  let isExact = true;
  const reader = createReplyReader({
    onHead({ status, reason, fields }) {
      head = [String(status), reason, ...fields];
    },
    onChunk(chunk) {
      body += chunk.toString('latin1');
    },
    onEnd(rest, hasExcess) {
      isExact = !hasExcess;
      body += rest?.toString('latin1') ?? '';
      isWhole = true;
    },
  });
  reader.expect(method);
  try {
    reader.read(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
  if (!isWhole) return undefined;
  const lastChunk = bytes.indexOf('\r\n0\r\n\r\n');
  const end = lastChunk === -1 ? bytes.indexOf('\r\n\r\n') + 4 + body.length : lastChunk + 7;
  return { head, body, length: isExact ? bytes.length : end };
}

describe('a member’s reply (D1)', () => {
  const ok = 'HTTP/1.1 200 OK\r\n';
  const replies: readonly (readonly [method: string, text: string])[] = [
    ['GET', `${ok}Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nabcde`],
    ['GET', `${ok}Transfer-Encoding: chunked\r\nX-A: b\r\n\r\n3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n`],
    ['POST', 'HTTP/1.1 500 Internal Server Error\r\ncontent-length:\t2 \r\nConnection: keep-alive\r\n\r\n{}'],
    ['DELETE', 'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nKeep-Alive: timeout=5\r\n\r\n'],
    ['HEAD', `${ok}Content-Length: 300\r\nHazelcast-NodeState: ACTIVE\r\n\r\n`],
  ];

  test('is read as by Node’s client, or refused', async () => {
    let taken = 0;
    for (const [method, text] of replies) {
      for (const mutated of sampled([text])) {
        const { length, ...reading } = readByProxy(method, mutated) ?? { length: 0 };
        if (length === 0) continue;
        taken += 1;
        expect([mutated, reading]).toEqual([mutated, await readByClient(method, mutated.slice(0, length))]);
      }
    }
    expect(taken).toBeGreaterThan(1_000);
  }, 600_000);

  test.each(framings)('is never taken with %j', (field) => {
    expect(readByProxy('GET', `${ok}${field}\r\n\r\nabcde`)).toBeUndefined();
  });
});
