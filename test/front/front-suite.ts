/** What holds of a load balancer in front of the console and its separate proxies (docs/front.md): the real program, configured from packaging/front/. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedEvents } from '../helpers/audit.ts';
import { clientSecret, waitFor } from '../helpers/console.ts';
import { makeProof, newClientKey } from '../helpers/dpop.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, signedInTitle, titleOf } from '../helpers/user-agent.ts';
import { opensslIsMissing } from '../peers/support/certificate.ts';
import { fronts } from './fronts.ts';
import { type Answer, callerAddress, type Installation, startInstallation } from './support.ts';

const problem = 'application/problem+json';
const forged = '203.0.113.66';
const claims = { 'x-forwarded-for': forged, forwarded: `for=${forged}`, 'x-real-ip': forged };

/** @param name  of one of {@link fronts} */
export function describeFront(name: string): void {
  const front = fronts.find((one) => one.name === name)!;
  const missing = front.missing ?? (opensslIsMissing && ` (skipped: ${opensslIsMissing})`);
  describe.skipIf(missing)(`${name} in front of a console and two proxies${missing ?? ''}`, () => {
    let set: Installation;
    let token: string;
    beforeAll(async () => {
      set = await startInstallation(front);
      token = await set.token();
    }, 120_000);
    afterAll(() => set?.stop());

    test('of two consoles one has gone: sign-in pages and tokens come from the other, each time', async () => {
      for (let n = 0; n < 6; n++) {
        expect((await set.call('GET', '/login')).status).toBe(200);
        expect(await set.token()).toMatch(/^ey/);
      }
    });

    const map = (key: string) => `/svc/rest/maps/front/${key}`;
    const queue = (name: string, rest = '') => `/svc/rest/queues/${name}${rest}`;
    const put = (key: string, body: string) =>
      set.call('POST', map(key), { token, body, headers: { 'content-type': 'text/plain' } });
    const get = (key: string) => set.call('GET', map(key), { token });

    test('tokens, reads, writes, removals and keys with an encoded slash go through as they are', async () => {
      for (const key of ['plain', 'with%2Fslash', 'with%20space']) {
        expect(await put(key, `value of ${key}`), key).toMatchObject({ status: 200 });
        expect(await get(key)).toMatchObject({ status: 200, body: `value of ${key}` });
      }
      expect((await set.call('DELETE', map('plain'), { token })).status).toBe(200);
      expect((await get('plain')).status).toBe(204);
    });

    test('the audit has the address of the caller, whatever the caller says of it', async () => {
      const key = randomUUID();
      const headers = { ...claims, 'content-type': 'text/plain' };
      expect((await set.call('POST', map(key), { token, body: 'x', headers })).status).toBe(200);
      const logs = () => set.proxies.flatMap((proxy) => proxy.log());
      const written = await waitFor(() => logs().find(({ path }) => path === map(key)), 'its line');
      expect(written).toMatchObject({ event: 'member.call', source: callerAddress });
      await set.token({}, claims);
      const sources = () =>
        storedEvents(set.console.dataDir).flatMap(({ event, source }) =>
          event === 'token.issued' ? [source] : [],
        );
      await until(async () => sources().filter((source) => source === callerAddress).length >= 2, 'entries');
      expect(sources()).not.toContain(forged);
    });

    test('a person signs in with cookies that are for TLS alone, and a live page has its parts while it is open', async () => {
      const agent = createUserAgent(set.url, { ca: set.certificate.pem });
      expect(titleOf(await agent.signIn())).toMatch(signedInTitle);
      const names = [...agent.cookies.keys()];
      expect(names.some((name) => name.startsWith('__Host-'))).toBe(true);
      const cookie = [...agent.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
      const stream = await openEvents(set, '/?live=1', cookie);
      expect(stream.type).toMatch(/^text\/event-stream/);
      // Both come although the reply has not ended.
      await until(async () => stream.text().includes('\n\n'), 'the first event', 20_000);
      stream.leave();
      const out = await agent.submit(await agent.get('/account'), {}, { action: '/connect/logout/confirm' });
      expect(out.status).toBeLessThan(400);
    });

    test('a poll waits until there is an item, and an item for a caller who has left goes to the next', async () => {
      const name = `jobs-${randomUUID()}`;
      const offer = (item: string) =>
        set.call('POST', queue(name), { token, body: item, headers: { 'content-type': 'text/plain' } });
      const polled = set.call('GET', queue(name, '/30'), { token });
      await waits(set);
      expect((await offer('first')).status).toBe(200);
      expect(await polled).toMatchObject({ status: 200, body: 'first' });

      const left = leavingPoll(set, queue(name, '/30'), token);
      await waits(set);
      left.leave();
      await waits(set, 0);
      expect((await offer('second')).status).toBe(200);
      expect(await set.call('GET', queue(name, '/20'), { token })).toMatchObject({
        status: 200,
        body: 'second',
      });
    }, 60_000);

    test('a body is passed on as it comes: one that is declared too large is refused before it is sent', async () => {
      const headers = { 'content-type': 'text/plain', 'content-length': String(50 * 1024 * 1024) };
      const answer = await set.call('POST', map('large'), { token, headers });
      expect(answer.status).toBe(413);
      expect(isProblem(answer, 'content_too_large')).toBe(true);
      const body = 'x'.repeat(1024 * 1024);
      expect((await put('megabyte', body)).status).toBe(200);
      expect((await get('megabyte')).body).toBe(body);
    });

    test('a head is refused by the console up to what the front takes, and beyond by the front', async () => {
      const fields = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-filler-${at}`, 'x'.repeat(4000)]));
      const middle = await set.call('GET', map('a'), { token, headers: fields(5) });
      expect([middle.status, isProblem(middle, 'headers_too_large')]).toEqual([431, true]);
      const large = await set.call('GET', map('a'), { token, headers: fields(12) });
      expect([400, 431]).toContain(large.status);
    });

    test('denials and errors keep their form', async () => {
      const without = await set.call('GET', map('a'));
      expect([without.status, without.headers['www-authenticate']]).toEqual([401, 'Bearer']);
      expect(isProblem(without, 'unauthorized')).toBe(true);
      const unknown = await set.call('GET', '/svc/rest/nothing', { token });
      expect([unknown.status, isProblem(unknown, 'not_found')]).toEqual([404, true]);
      const climbing = await set.call('GET', '/login/%2e%2e/svc/rest/maps/front/a', { token });
      expect(climbing.status).toBeGreaterThanOrEqual(400);
      const numbers = await set.call('GET', '/metrics');
      expect([numbers.status, numbers.body.includes('console_')]).toEqual([401, false]);
      // A disk that other tests write to may take longer than the two seconds after which a console is not ready.
      await until(
        async () => (await set.call('GET', '/ready')).status === 200,
        'the console is ready',
        15_000,
      );
    });

    test('what two readers frame differently moves no reply to another request, and no request past the front', async () => {
      await put('victim', 'of the victim');
      const { host } = new URL(set.url);
      const auth = `Authorization: Bearer ${token}`;
      const inner = `GET ${map('smuggled')} HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\nX-Forwarded-For: ${forged}\r\n\r\n`;
      const head = `POST ${map('outer')} HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\nContent-Type: text/plain\r\n`;
      const length = Buffer.byteLength(inner);
      const attacks = [
        `Content-Length: ${length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
        `Content-Length: 0\r\nContent-Length: ${length}\r\n\r\n${inner}`,
        `Content-Length: ${length}\r\nTransfer-Encoding : chunked\r\n\r\n${inner}`,
        `Content-Length: ${length}\r\nTransfer-Encoding: xchunked\r\n\r\n${inner}`,
        `Content-Length: +0\r\n\r\n${inner}`,
        `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${inner}`,
        `Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n${inner}`,
      ];
      for (const attack of attacks) {
        await set.raw(`${head}${attack}`);
        for (let n = 0; n < 4; n++) expect((await get('victim')).body).toBe('of the victim');
      }
      await set.call('POST', map('last'), { token, body: 'x', headers: { 'content-type': 'text/plain' } });
      const lines = () => set.proxies.flatMap((proxy) => proxy.log());
      await waitFor(() => lines().find(({ path }) => path === map('last')), 'the last line');
      expect(lines().filter(({ source }) => source === forged)).toEqual([]);
    }, 60_000);

    test('a bound token is taken with a proof that names the public address, once, at whichever proxy', async () => {
      const key = await newClientKey();
      const proof = await makeProof(key, { url: `${set.url}/oauth2/token` });
      const bound = await set.token({}, { dpop: proof });
      for (let n = 0; n < 6; n++) {
        const path = map(`bound-${n}`);
        const dpop = await makeProof(key, { method: 'GET', url: set.url + path, token: bound });
        const headers = { authorization: `DPoP ${bound}`, dpop };
        const answers = [];
        for (let times = 0; times < 4; times++)
          answers.push((await set.call('GET', path, { headers })).status);
        const replays = front.name === 'Traefik' ? expect.any(Array) : [401, 401, 401];
        expect([answers[0], answers.slice(1)]).toEqual([204, replays]);
      }
    });

    test('a revoked token is refused at both proxies', async () => {
      const revoked = await set.token();
      expect((await set.call('GET', map('a'), { token: revoked })).status).toBe(204);
      const body = new URLSearchParams({ token: revoked }).toString();
      const headers = {
        authorization: `Basic ${btoa(`application-client:${clientSecret}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
      };
      expect((await set.call('POST', '/oauth2/revoke', { headers, body })).status).toBe(200);
      const isDenied = async () => {
        const calls = Array.from({ length: 6 }, () => set.call('GET', map('a'), { token: revoked }));
        return (await Promise.all(calls)).every(({ status }) => status === 401);
      };
      await until(isDenied, 'the revocation at both', 20_000);
    });

    test('a proxy that ends costs no read, and a console that is away is said in form', async () => {
      await put('steady', 'stays');
      let isOver = false;
      const answers: string[] = [];
      const read = async () => {
        while (!isOver) answers.push((await get('steady').catch(String as never)).body ?? 'broken off');
      };
      // Several at once: where they take turns, the second try of one may fall on the proxy that has gone.
      const load = Promise.all([read(), read(), read(), read()]);
      await until(async () => answers.length > 20, 'the load', 20_000);
      await set.proxies[0].stop();
      const after = answers.length;
      await until(async () => answers.length > after + 200, 'the load to go on', 30_000);
      isOver = true;
      await load;
      const lost = answers.filter((body) => body !== 'stays');
      expect(lost, lost.length > 0 ? set.output().slice(-20_000) : undefined).toEqual([]);

      await set.proxies[1].stop();
      set.console.child.kill('SIGTERM');
      await until(async () => (await set.call('GET', '/login')).status >= 502, 'its end', 20_000);
      const away = await set.call('GET', '/login');
      expect([502, 503]).toContain(away.status);
      // Traefik has no form of its own for what it says itself.
      if (front.name !== 'Traefik') expect(away.headers['content-type']).toBe(problem);
    }, 60_000);
  });
}

function isProblem({ headers, body }: Answer, code: string): boolean {
  return headers['content-type'] === problem && JSON.parse(body).code === code;
}

/** Resolves when so many polls wait at members, by the numbers of the proxies. */
async function waits({ proxies }: Installation, count = 1): Promise<void> {
  const waiting = async () => {
    const all = await Promise.all(
      proxies.map(async ({ url }) =>
        (await fetch(`${url.replace('localhost', '127.0.0.1')}/metrics`)).text(),
      ),
    );
    return all
      .map((text) => Number(/^console_queue_polls_waiting(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1] ?? 0))
      .reduce((sum, one) => sum + one, 0);
  };
  await until(async () => (await waiting()) === count, `${count} polls that wait`, 20_000);
}

function leavingPoll({ url, certificate }: Installation, path: string, token: string) {
  const sent = request(`${url}${path}`, {
    ca: certificate.pem,
    agent: false,
    headers: { authorization: `Bearer ${token}` },
  });
  sent.on('error', () => {});
  sent.end();
  return { leave: () => void sent.destroy() };
}

async function openEvents({ url, certificate }: Installation, path: string, cookie: string) {
  return new Promise<{ type: string | undefined; text(): string; leave(): void }>((resolve, reject) => {
    const sent = request(
      `${url}${path}`,
      { ca: certificate.pem, agent: false, headers: { cookie } },
      (reply) => {
        let text = '';
        reply.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        reply.on('error', () => {});
        resolve({ type: reply.headers['content-type'], text: () => text, leave: () => void sent.destroy() });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}
