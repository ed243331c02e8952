/** A proxy of its own that serves HTTPS, beside a console that does: both keys and revocation events come over TLS. */
import { type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { clientSecret, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type ClientKey, makeProof, newClientKey } from '../helpers/dpop.ts';
import { startRecorder } from '../member-proxy/servers.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import { addProxyClient, type RunningProxy, startProxy } from './support.ts';

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

describe.skipIf(opensslIsMissing)(
  `a proxy that serves HTTPS${opensslIsMissing ? ` (skipped: ${opensslIsMissing})` : ''}`,
  () => {
    let certificate: Certificate;
    let console: RunningConsole;
    let proxy: RunningProxy;
    let member: Awaited<ReturnType<typeof startRecorder>>;
    let url: string;
    let token: string;

    beforeAll(async () => {
      certificate = await makeCertificate();
      member = await startRecorder();
      const files = { CONSOLE_TLS_CERT: certificate.certificateFile, CONSOLE_TLS_KEY: certificate.keyFile };
      const port = await freePort();
      console = await startConsole({ port, env: { ...files, CONSOLE_URL: `https://localhost:${port}` } });
      const client = await addProxyClient(console);
      const env = { ...files, CONSOLE_WORKERS: '2', NODE_EXTRA_CA_CERTS: certificate.certificateFile };
      proxy = await startProxy({ console, client, members: [member.address], env });
      url = proxy.url.replace('http:', 'https:');
      token = await tokenFor({});
    });
    afterAll(async () => {
      await proxy?.stop();
      await console?.stop();
      await member?.close();
      await certificate?.remove();
    });

    /** On a connection of its own, to whichever worker. */
    function send(target: string, headers: Record<string, string> = {}, body?: string): Promise<Reply> {
      return new Promise((resolve, reject) => {
        const method = body === undefined ? 'GET' : 'POST';
        const sent = request(target, { method, headers, ca: certificate.pem, agent: false }, (reply) => {
          let text = '';
          reply.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          reply.once('end', () => resolve({ status: reply.statusCode!, headers: reply.headers, text }));
          reply.once('error', reject);
        });
        sent.once('error', reject);
        sent.end(body);
      });
    }

    async function tokenFor(fields: Record<string, string>): Promise<string> {
      const reply = await send(
        `${console.url}/oauth2/token`,
        {
          Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}`,
          'Content-Type': 'application/x-www-form-urlencoded',
          ...fields,
        },
        'grant_type=client_credentials',
      );
      expect(reply.status, reply.text).toBe(200);
      return (JSON.parse(reply.text) as { access_token: string }).access_token;
    }

    test('says where it is, and calls with a token pass', async () => {
      expect(proxy.stdout()).toContain(`proxy ready at ${url}\n`);
      const headers = { Authorization: `Bearer ${token}` };
      for (let i = 0; i < 6; i += 1) {
        const written = await send(`${url}/svc/rest/maps/orders/${i}`, headers, 'value');
        expect([written.status, written.text]).toEqual([200, 'ok']);
      }
      expect(member.seen.filter(({ method }) => method === 'POST')).toHaveLength(6);
      expect((await send(`${url}/ready`)).status).toBe(200);
    });

    test('refuses calls without one (S61)', async () => {
      const rejected = await send(`${url}/svc/rest/cluster`);
      expect([rejected.status, rejected.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    });

    test('takes a bound token with a proof that names its https address, once', async () => {
      const key: ClientKey = await newClientKey();
      const bound = await tokenFor({ DPoP: await makeProof(key, { url: `${console.url}/oauth2/token` }) });
      const call = async (address: string) => {
        const DPoP = await makeProof(key, { method: 'GET', url: address, token: bound });
        return [1, 2].map(() => send(`${url}/svc/rest/cluster`, { Authorization: `DPoP ${bound}`, DPoP }));
      };
      const [first, second] = await Promise.all(await call(`${url}/svc/rest/cluster`));
      expect([first!.status, second!.status].sort()).toEqual([200, 401]);
      for (const reply of await Promise.all(await call(`${proxy.url}/svc/rest/cluster`))) {
        expect([reply.status, reply.text]).toEqual([401, expect.stringContaining('invalid_dpop_proof')]);
      }
    });

    test('hears over TLS of what is revoked (S34)', async () => {
      const added = await toolDone(['client', 'add', 'short', '--scope', 'svc:health:read', '--json'], {
        dataDir: console.dataDir,
      });
      const { secret } = added.json<{ secret: string }>();
      const ask = () =>
        send(
          `${console.url}/oauth2/token`,
          {
            Authorization: `Basic ${btoa(`short:${secret}`)}`,
            'Content-Type': 'application/x-www-form-urlencoded',
          },
          'grant_type=client_credentials&scope=svc:health:read',
        );
      await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200);
      const { access_token: short } = JSON.parse((await ask()).text) as { access_token: string };
      const health = async () =>
        (await send(`${url}/svc/health`, { Authorization: `Bearer ${short}` })).status;
      await expect.poll(health, { timeout: 20_000 }).toBe(200);
      await toolDone(['client', 'disable', 'short'], { dataDir: console.dataDir });
      await expect.poll(health, { timeout: 20_000 }).toBe(401);
    });

    test('refuses what is no HTTP in the same form as without TLS (S63, S64)', async () => {
      const received = await new Promise<string>((resolve, reject) => {
        const socket = connect(
          { port: Number(new URL(url).port), host: 'localhost', ca: certificate.pem },
          () => socket.write('GET /svc/health HTTP/1.1\r\nHost : x\r\n\r\n'),
        );
        let text = '';
        socket.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        socket.once('close', () => resolve(text));
        socket.once('error', reject);
      });
      expect(received).toMatch(/^HTTP\/1\.1 400 /);
      expect(received).toContain('"decision_id":"p');
    });

    test('takes neither plain HTTP nor TLS 1.1 (S87)', async () => {
      const port = Number(new URL(url).port);
      const plain = new Promise<string>((resolve) => {
        const headers = { Authorization: `Bearer ${token}` };
        plainRequest({ port, host: 'localhost', path: '/svc/health', headers }, () => resolve('answered'))
          .once('error', () => resolve('refused'))
          .end();
      });
      expect(await plain).toBe('refused');
      const old = new Promise<string>((resolve) => {
        const socket = connect(
          {
            port,
            host: 'localhost',
            ca: certificate.pem,
            maxVersion: 'TLSv1.1',
            minVersion: 'TLSv1',
            ciphers: 'DEFAULT@SECLEVEL=0',
          },
          () => resolve('connected'),
        );
        socket.once('error', () => resolve('refused'));
      });
      expect(await old).toBe('refused');
    });

    test('a connection that never begins its handshake is cut after ten seconds (S64)', async () => {
      const at = performance.now();
      const socket = connectPlain(Number(new URL(url).port), 'localhost');
      socket.on('error', () => {});
      await new Promise((resolve) => socket.once('close', resolve).resume());
      expect(performance.now() - at).toBeLessThan(30_000);
      expect((await send(`${url}/live`)).status).toBe(200);
    });
  },
);
