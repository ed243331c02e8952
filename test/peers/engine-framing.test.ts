/** What stands between clients as they are and a member of the real engine with its habits (reference, section 14). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, exchangeRaw, type RawReply } from '../helpers/wire.ts';
import { type EngineConsole, startEngineConsole } from './support/engine-console.ts';
import {
  type EngineCluster,
  engineStartMs,
  newestRelease,
  startEngineMembers,
  whyNoEngine,
} from './support/engine-members.ts';

const rest = '/svc/rest';

describe.skipIf(whyNoEngine)(`a member of ${newestRelease} and raw requests${whyNoEngine ?? ''}`, () => {
  let cluster: EngineCluster;
  let front: EngineConsole;
  let member: string;

  beforeAll(async () => {
    cluster = await startEngineMembers({ version: newestRelease });
    member = cluster.members[0]!.address;
    front = await startEngineConsole({
      addresses: cluster.addresses,
      env: { CONSOLE_PROXY_MANAGEMENT_RATE: '0' },
    });
  }, engineStartMs + 60_000);
  afterAll(async () => {
    await front?.stop();
    await cluster?.stop();
  });

  const head = (method: string, path: string, fields = '') =>
    `${method} ${rest}${path} HTTP/1.1\r\nHost: console\r\nAuthorization: Bearer ${front.admin}\r\n${fields}\r\n`;
  const post = (path: string, body: string, fields = '') =>
    `${head('POST', path, `${fields}Content-Length: ${body.length}\r\n`)}${body}`;
  const chunked = (path: string, chunks: readonly string[]) =>
    head('POST', path, 'Transfer-Encoding: chunked\r\n') +
    [...chunks, ''].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
  const one = async (bytes: string) => (await exchangeRaw(front.console.url, [bytes], 1))[0];
  const storedAt = async (path: string) => (await front.call('GET', rest + path)).body;

  /** The connections to the member are what a badly ended request would spoil. */
  async function expectNothingLeftBehind(): Promise<void> {
    const answers = await Promise.all(
      Array.from({ length: 24 }, () => front.call('GET', '/svc/health/node-state')),
    );
    for (const { status, body } of answers) expect([status, body]).toEqual([200, '"ACTIVE"']);
  }

  describe('the request that goes out', () => {
    test('is the path byte for byte: a raw plus is a space there, an encoded one is not', async () => {
      await one(post('/maps/paths/a+b', 'space'));
      await one(post('/maps/paths/a%2Bb', 'plus'));
      const direct = (path: string) => ask(member, 'GET', `/hazelcast/rest/maps/paths/${path}`);
      expect((await direct('a%20b')).body).toBe('space');
      expect((await direct('a%2Bb')).body).toBe('plus');
    });

    test('has a length where the caller sent chunks, and leaves no byte behind', async () => {
      // The engine takes what ends a chunked body for another request, and answers that too.
      const [direct, stray] = await exchangeRaw(
        member,
        [
          chunked('/maps/chunks/k', ['abc']).replace('/svc', '/hazelcast'),
          'GET /hazelcast/health/node-state HTTP/1.1\r\n\r\n',
        ],
        2,
      );
      expect([direct?.status, stray?.head.startsWith('ERROR')]).toEqual([200, true]);

      expect((await one(chunked('/maps/chunks/k', ['abc', 'de'])))?.status).toBe(200);
      expect(await storedAt('/maps/chunks/k')).toBe('abcde');
      await expectNothingLeftBehind();
    });

    test('even where the chunks are more than can be held', async () => {
      const chunks = Array.from({ length: 48 }, (_, i) => String.fromCharCode(97 + (i % 26)).repeat(65_536));
      expect((await one(chunked('/maps/chunks/long', chunks)))?.status).toBe(200);
      expect((await storedAt('/maps/chunks/long')) === chunks.join('')).toBe(true);
      await expectNothingLeftBehind();
    });

    test('asks for no 100 Continue, whose end the engine leaves out; the caller gets a right one', async () => {
      const [interim, reply] = await exchangeRaw(
        front.console.url,
        [head('POST', '/maps/expect/k', 'Expect: 100-continue\r\nContent-Length: 3\r\n'), 'abc'],
        2,
      );
      expect([interim?.status, reply?.status]).toEqual([100, 200]);
      expect(await storedAt('/maps/expect/k')).toBe('abc');
      await expectNothingLeftBehind();
    });

    test('has no body on GET and DELETE, whose bytes the engine would take for a request', async () => {
      await one(post('/maps/bodies/k', 'kept'));
      for (const method of ['GET', 'DELETE', 'HEAD']) {
        const reply = await one(`${head(method, '/maps/bodies/k', 'Content-Length: 3\r\n')}abc`);
        expect(reply?.status).toBe(400);
      }
      expect(await storedAt('/maps/bodies/k')).toBe('kept');
    });

    test.each([
      ['without a space', 'Content-Length:3\r\n'],
      ['with two spaces', 'Content-Length:  3\r\n'],
      ['with a tab', 'Content-Length:\t3\r\n'],
      ['in capitals', 'CONTENT-LENGTH: 3\r\n'],
      ['with leading zeros', 'Content-Length: 0003\r\n'],
    ])('has a Content-Length as the engine reads it: %s (S63)', async (_name, field) => {
      expect((await one(`${head('POST', '/maps/lengths/k', field)}abc`))?.status).toBe(200);
      expect(await storedAt('/maps/lengths/k')).toBe('abc');
      await expectNothingLeftBehind();
    });

    test('CRLF behind a body is not passed on', async () => {
      const replies = await exchangeRaw(
        front.console.url,
        [`${post('/maps/tails/k', 'abc')}\r\n${head('GET', '/maps/tails/k')}`],
        2,
      );
      expect(replies.map(({ status, body }) => [status, body])).toEqual([
        [200, ''],
        [200, 'abc'],
      ]);
      await expectNothingLeftBehind();
    });

    test('a body of no byte is one', async () => {
      expect((await one(post('/maps/empty/k', '', 'Content-Type: text/plain\r\n')))?.status).toBe(200);
      expect((await front.call('GET', `${rest}/maps/empty/k`)).status).toBe(200);
    });
  });

  describe('the reply that comes back', () => {
    test('names its type as the engine keeps it, in lower case', async () => {
      await one(post('/maps/types/k', 'x', 'Content-Type: Text/Plain; Charset=UTF-8\r\n'));
      expect((await front.call('GET', `${rest}/maps/types/k`)).type).toBe('text/plain; charset=utf-8');
    });

    test.each([
      ['a type of 256 bytes', `text/plain; x=${'a'.repeat(242)}`],
      ['a type with quotes', 'multipart/form-data; boundary="a b"'],
      ['a type that is none', 'whatever'],
    ])('%s goes there and back (S69)', async (_name, type) => {
      expect((await one(post('/maps/types/odd', 'x', `Content-Type: ${type}\r\n`)))?.status).toBe(200);
      const { status, type: kept } = await front.call('GET', `${rest}/maps/types/odd`);
      expect([status, kept]).toEqual([200, type]);
    });

    test('is nothing that a browser would run (S69)', async () => {
      await one(post('/maps/types/page', '<script>alert(1)</script>', 'Content-Type: text/html\r\n'));
      const { headers, type } = await front.call('GET', `${rest}/maps/types/page`);
      expect(type).toBe('text/html');
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': 'sandbox',
        'content-disposition': 'attachment',
      });
    });

    test('to HEAD has no body, and says of a health probe what the engine says', async () => {
      const reply = await one(head('HEAD', '/cluster'));
      expect([reply?.status, reply?.body]).toEqual([200, '']);
      const { headers } = await front.call('HEAD', '/svc/health');
      expect(headers).toMatchObject({ 'hazelcast-nodestate': 'ACTIVE', 'hazelcast-clustersize': '1' });
    });

    test('closes where the caller asked for it, although the engine never does', async () => {
      const received = await exchangeRaw(
        front.console.url,
        [head('GET', '/instance', 'Connection: close\r\n') + head('GET', '/instance')],
        2,
      );
      expect(received.map(({ status }) => status)).toEqual([200]);
      expect(received[0]?.head).toMatch(/^connection: close/im);
    });
  });

  describe('requests one behind the other', () => {
    test('are answered in their order', async () => {
      const keys = Array.from({ length: 20 }, (_, i) => `/maps/lined-up/${i}`);
      const writes = keys.map((key) => post(key, key)).join('');
      const statuses = (await exchangeRaw(front.console.url, [writes], 20)).map(({ status }) => status);
      expect(statuses).toEqual(keys.map(() => 200));
      const reads = keys.map((key) => head('GET', key)).join('');
      const bodies = (await exchangeRaw(front.console.url, [reads], 20)).map(({ body }) => body);
      expect(bodies).toEqual(keys);
    });

    test('a read sees the write before it, and not the one behind it', async () => {
      for (let i = 0; i < 25; i += 1) {
        const [, read, , later] = (await exchangeRaw(
          front.console.url,
          [
            post('/maps/lined-up/k', `first ${i}`) +
              head('GET', '/maps/lined-up/k') +
              post('/maps/lined-up/k', `second ${i}`) +
              head('GET', '/maps/lined-up/k'),
          ],
          4,
        )) as RawReply[];
        expect([read?.body, later?.body]).toEqual([`first ${i}`, `second ${i}`]);
      }
    });
  });

  describe('names of the specification that the engine has not (C10)', () => {
    const reported = async (method: string, path: string, body?: string) => {
      const answer = await front.call(method, rest + path, body === undefined ? {} : { body });
      return `${answer.status} ${answer.body}`;
    };
    const direct = async (method: string, path: string, body: string) => {
      const answer = await ask(member, method, `/hazelcast/rest${path}`, { body });
      return `${answer.status} ${answer.body}`;
    };

    test.each([
      ['POST', '/config/upload', '/config/update', '&&x'],
      ['PUT', '/config/upload/', '/config/update', '&&x'],
      ['POST', '/cp-subsystem/restart', '/cp-subsystem/reset', '&'],
    ])('%s %s is %s there', async (method, path, own, positionalFields) => {
      expect(await reported(method, path, positionalFields)).toBe(
        await direct('POST', own, positionalFields.replace('&', 'dev&')),
      );
    });

    test('DELETE log-level is POST log-level/reset there, with the credentials of the settings', async () => {
      expect(await reported('POST', '/log-level', '&&FINEST')).toMatch(/^200 /);
      expect(await reported('GET', '/log-level')).toBe('200 {"logLevel":"FINEST"}');
      expect(await reported('DELETE', '/log-level')).toBe(
        '200 {"status":"success","message":"log level is reset"}',
      );
      expect(await reported('GET', '/log-level')).toBe('200 {"logLevel":null}');
      await reported('POST', '/log-level', '&&FINEST');
      expect(await reported('DELETE', '/log-level?members=all')).toContain('"status":200');
      expect(await reported('GET', '/log-level')).toBe('200 {"logLevel":null}');
    });

    test('its own first segment is known at the console: scripts need another host and a token', async () => {
      const post = await front.call('POST', '/hazelcast/rest/maps/script/k', { body: 'v' });
      expect(post.status).toBe(200);
      for (const path of ['/hazelcast/rest/maps/script/k', '/svc/rest/maps/script/k']) {
        expect((await front.call('GET', path)).body).toBe('v');
      }
      const { host } = new URL(member);
      const pinned = await front.call('GET', `/members/${host}/hazelcast/rest/maps/script/k`);
      expect(pinned.body).toBe('v');
    });
  });

  describe('a poll', () => {
    test('by GET is a write; by HEAD it takes nothing (S60)', async () => {
      await one(post('/queues/held/', 'item'));
      const viewer = await front.tokenOfRole('Viewer');
      for (const path of ['held/0', 'held/5', 'held%2F0', 'held']) {
        expect((await front.callAs(viewer, 'GET', `${rest}/queues/${path}`)).status).toBe(403);
      }
      expect((await front.call('HEAD', `${rest}/queues/held/0`)).status).toBe(200);
      expect(await storedAt('/queues/held/size')).toBe('1');
      expect(await storedAt('/queues/held/0')).toBe('item');
    });

    test('holds its connection alone: other calls do not wait for it', async () => {
      const polls = Array.from({ length: 4 }, () => front.call('DELETE', `${rest}/queues/slow/5`));
      const isAnswered: boolean[] = [];
      for (const poll of polls) void poll.then(() => isAnswered.push(true));
      for (let i = 0; i < 8; i += 1) {
        expect((await front.call('GET', `${rest}/instance`)).status).toBe(200);
      }
      expect(isAnswered).toEqual([]);
      await one(post('/queues/slow', 'for one of them'));
      const answers = await Promise.all(polls);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 204, 204, 204]);
    });

    test('is one of a few: more would take all 16 workers of the member, and stop every other call (S64)', async () => {
      const polls = Array.from({ length: 24 }, () => front.call('DELETE', `${rest}/queues/crowded/8`));
      await expectNothingLeftBehind();
      const answers = await Promise.all(polls);
      const rejected = answers.filter(({ status }) => status !== 204);
      expect(rejected.length).toBeGreaterThanOrEqual(24 - 15);
      for (const { status, headers } of rejected) {
        expect([status, Number(headers['retry-after'])]).toEqual([503, expect.any(Number)]);
      }
    });

    test('of a caller who leaves is given up, and the member is free for others (S70)', async () => {
      const gone = new AbortController();
      const polls = Array.from({ length: 4 }, () =>
        fetch(`${front.console.url}${rest}/queues/left/2`, {
          method: 'DELETE',
          headers: { Authorization: `Bearer ${front.admin}` },
          signal: gone.signal,
        }).catch(() => undefined),
      );
      await new Promise((resolve) => setTimeout(resolve, 200));
      gone.abort();
      await Promise.all(polls);
      await expectNothingLeftBehind();
    });
  });

  describe('paths', () => {
    const direct = (method: string, path: string, body?: string) =>
      ask(member, method, `/hazelcast/rest${path}`, { ...(body !== undefined && { body }) });

    test('of which the engine reads only the start are narrower here (S59)', async () => {
      for (const path of ['/clusterX', '/cluster/more', '/instanceX', '/management/cluster/version/x']) {
        expect((await direct('GET', path)).status).toBe(200);
        expect((await front.call('GET', rest + path)).status).toBe(404);
      }
      expect((await front.call('GET', `${rest}/cluster?x=1`)).status).toBe(200);
      expect((await front.call('GET', `${rest}/cluster/`)).status).toBe(200);
    });

    test('whose encoded slash would choose another operation are refused (S58)', async () => {
      // Refused for the wrong name there, by the operation that destroys: the path has reached it.
      const path = '/cp-subsystem/groups/x%2Fremove';
      expect((await direct('POST', path, 'prod&')).status).toBe(403);
      expect((await direct('POST', '/cp-subsystem/groups/x', 'dev&')).status).toBe(404);
      const { status, body } = await front.call('POST', rest + path, { body: '&' });
      expect([status, JSON.parse(body).code]).toEqual([400, 'invalid_request']);
    });

    test('a query does not turn a CP call into another one (B6)', async () => {
      const path = '/cp-subsystem/groups/METADATA/remove';
      expect((await direct('POST', path, 'dev&')).status).toBe(400);
      expect((await direct('POST', `${path}?x`, 'dev&')).status).toBe(404);
      for (const end of ['', '?x', '/', '/?x']) {
        expect((await front.call('POST', rest + path + end, { body: '&' })).status).toBe(400);
      }
    });

    test('with an encoded slash in a map’s name are judged as what the engine makes of them', async () => {
      await one(post('/maps/split/b', 'value'));
      expect((await direct('GET', '/maps/split%2Fb')).body).toBe('value');
      expect(await storedAt('/maps/split%2Fb')).toBe('value');
    });

    test('an empty last segment is the empty key to DELETE, and clears nothing', async () => {
      await one(post('/maps/kept/k', 'value'));
      expect((await one(head('DELETE', '/maps/kept/')))?.status).toBe(200);
      expect(await storedAt('/maps/kept/k')).toBe('value');
      expect((await one(head('DELETE', '/maps/kept')))?.status).toBe(200);
      expect((await front.call('GET', `${rest}/maps/kept/k`)).status).toBe(204);
    });
  });

  test('credentials stand in the body: wrong ones are the member’s 403, and in no log of the console', async () => {
    const body = 'prod-secret-name&hunter2-secret&frozen';
    const answer = await front.call('POST', `${rest}/management/cluster/changeState`, { body });
    expect([answer.status, answer.body]).toEqual([403, '{"status":"fail","message":"unauthenticated"}']);
    expect(front.console.stderr() + front.console.stdout()).not.toMatch(/hunter2-secret|prod-secret-name/);
  });
});
