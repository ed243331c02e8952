/** Faults at the other side: a console or a dashboard that was started wrongly. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../commands/support.ts';
import { startDashboard } from '../dashboard/support.ts';
import { freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { startRecorder } from '../member-proxy/servers.ts';
import { type CertificateFiles, cleanSettings, runDoctor, selfSigned, signedCertificate } from './support.ts';

// Each starts several processes, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const movableClock = pathToFileURL(join(import.meta.dirname, '../oidc/movable-clock.mjs')).href;

describe('the dashboard', () => {
  let port: number;
  let address: string;
  let console: RunningConsole;
  beforeAll(async () => {
    port = await freePort();
    address = `http://localhost:${port}`;
    console = await startConsole({ env: { ...cleanSettings, SVC_MC_APP_ADDRESSES: address } });
  });
  afterAll(() => console?.stop());

  const examine = () => runDoctor(console, { SVC_MC_APP_ADDRESSES: address });

  async function dashboardWith(env: Record<string, string>): Promise<void> {
    const dashboard = await startDashboard({
      port,
      env: { APP_SECURITY_OPENIDP_ISSUERURL: console.url, ...env },
    });
    onTestFinished(async () => void (await dashboard.stop()));
  }

  test('is down', async () => {
    const { problems, line } = await examine();
    expect(problems).toEqual([`application ${address}`, 'internal address']);
    expect(line('internal address')!.reason).toContain('connection_refused');
  });

  test('has another issuer', async () => {
    await dashboardWith({
      APP_SECURITY_OPENIDP_ISSUERURL: 'http://localhost:1',
      APP_SECURITY_OPENIDP_JWKSURI: `${console.url}/oauth2/jwks`,
    });
    const { problems, line } = await examine();
    expect(line('internal address')).toMatchObject({
      reason: expect.stringContaining('its claim iss is not right'),
      fix: expect.stringContaining(`app.security.openIdp.issuerUrl=${console.url}`),
    });
    expect(problems).toEqual(['internal address']);
  });

  test('has a key set address at which nobody answers', async () => {
    await dashboardWith({ APP_SECURITY_OPENIDP_JWKSURI: 'http://localhost:1/oauth2/jwks' });
    const { problems, line } = await examine();
    expect(line('internal address')).toMatchObject({
      reason: expect.stringContaining('cannot read the key set'),
      fix: expect.stringContaining(`jwks-uri=${console.url}/oauth2/jwks`),
    });
    expect(problems).toEqual(['internal address']);
  });

  test('expects access tokens for something else', async () => {
    await dashboardWith({ APP_SECURITY_OPENIDP_AUDIENCE: 'urn:other' });
    const { problems, line } = await examine();
    expect(line("application's issuer")!.fix).toContain('app.security.openIdp.audience');
    expect(problems).toEqual(["application's issuer"]);
  });

  test('reaches the key set, and not the console', async () => {
    const keySet = await (await fetch(`${console.url}/oauth2/jwks`)).text();
    const server = createServer((req, res) => {
      const isKeySet = req.url === '/oauth2/jwks';
      res
        .writeHead(isKeySet ? 200 : 404, { 'Content-Type': 'application/json' })
        .end(isKeySet ? keySet : '{}');
    });
    const own = await freePort();
    await new Promise<void>((done) => server.listen(own, '127.0.0.1', done));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await dashboardWith({ APP_SECURITY_OPENIDP_JWKSURI: `http://127.0.0.1:${own}/oauth2/jwks` });
    const { problems, line } = await examine();
    expect(line('console from the application')!.reason).toContain('status_404');
    expect(problems).toEqual(['console from the application']);
  });

  test.each([
    ['20', 'warning'],
    ['60', 'problem'],
    ['-60', 'problem'],
  ])('has a clock that is %s s ahead', async (seconds, state) => {
    const clock = join(temporaryDirectory(), 'ahead');
    writeFileSync(clock, seconds);
    await dashboardWith({ TEST_CLOCK_FILE: clock, NODE_OPTIONS: `--import ${movableClock}` });
    const { line } = await examine();
    expect(line('clock of the application')).toMatchObject({
      state,
      reason: expect.stringContaining(Number(seconds) > 0 ? 'ahead of' : 'behind'),
      fix: expect.stringContaining('NTP'),
    });
  });
});

describe('the console', () => {
  test.each([
    [-20, 'warning'],
    [60, 'problem'],
  ])('has a clock that is %i s ahead', async (seconds, state) => {
    const [port, own] = [await freePort(), await freePort()];
    const url = `http://localhost:${port}`;
    const env = { ...cleanSettings, CONSOLE_URL: url, CONSOLE_PORT: String(own) };
    const console = await startConsole({ port: own, env });
    onTestFinished(async () => void (await console.stop()));
    // The console's clock shows in the field Date alone, and what runs here cannot turn that back.
    const front = createServer(async (req, res) => {
      const answer = await fetch(`http://localhost:${own}${req.url}`, { redirect: 'manual' });
      const date = new Date(Date.now() + seconds * 1000).toUTCString();
      res.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? '', Date: date });
      res.end(await answer.text());
    });
    await new Promise<void>((done) => front.listen(port, '127.0.0.1', done));
    onTestFinished(() => {
      front.closeAllConnections();
      front.close();
    });
    const { line } = await runDoctor(console);
    expect(line('issuer')!.state).toBe('ok');
    expect(line('clock of the console')).toMatchObject({
      state,
      reason: expect.stringContaining(seconds > 0 ? 'ahead of' : 'behind'),
      fix: expect.stringContaining('NTP'),
    });
  });

  test('reaches no member', async () => {
    const members = `http://127.0.0.1:${await freePort()}`;
    const console = await startConsole({ env: { ...cleanSettings, CONSOLE_MEMBERS: members } });
    onTestFinished(async () => void (await console.stop()));
    const { line } = await runDoctor(console, { CONSOLE_MEMBERS: members });
    expect(line('members through the proxy')).toMatchObject({
      state: 'problem',
      reason: expect.stringContaining('no_member'),
    });
  });

  test('flaw: fills in credentials that a member refuses, and the doctor found all well', async () => {
    const rejecting = await startRecorder((req, res) => {
      const isRejected = req.method === 'POST';
      res.writeHead(isRejected ? 403 : 200).end('{"status":"fail","message":"unauthenticated"}');
    });
    const taking = await startRecorder((_req, res) => res.end('{"status":"success","state":"active"}'));
    onTestFinished(async () => void (await Promise.all([rejecting.close(), taking.close()])));
    const settings = {
      CONSOLE_MEMBERS: `${rejecting.address},${taking.address}`,
      CONSOLE_MEMBER_PASSWORD: 'wrong-staple-77',
    };
    const console = await startConsole({ env: { ...cleanSettings, ...settings } });
    onTestFinished(async () => void (await console.stop()));
    const { line, lines } = await runDoctor(console, settings);
    expect(line(`credentials at member ${new URL(rejecting.address).host}`)).toMatchObject({
      state: 'problem',
      fix: expect.stringMatching(
        /CONSOLE_MEMBER_USERNAME and CONSOLE_MEMBER_PASSWORD.*CONSOLE_MEMBER_CREDENTIALS/,
      ),
    });
    expect(line(`credentials at member ${new URL(taking.address).host}`)).toBeUndefined();
    expect(JSON.stringify(lines)).not.toContain('wrong-staple-77');
  });

  describe('has a certificate', () => {
    async function consoleWith(
      { cert, key, authority }: CertificateFiles,
      doctor: Record<string, string> = {},
    ) {
      const port = await freePort();
      const url = `https://localhost:${port}`;
      const tls = { CONSOLE_TLS_CERT: cert, CONSOLE_TLS_KEY: key };
      const console = await startConsole({ port, env: { ...cleanSettings, CONSOLE_URL: url, ...tls } });
      onTestFinished(async () => void (await console.stop()));
      const report = await runDoctor(console, { ...tls, NODE_EXTRA_CA_CERTS: authority, ...doctor });
      return {
        ...report,
        certificate: report.lines.filter(({ check }) => check === `certificate of localhost:${port}`),
      };
    }

    test('of an authority that is known', async () => {
      const { certificate, line } = await consoleWith(
        signedCertificate(temporaryDirectory(), 'localhost', 30),
      );
      expect(certificate).toMatchObject([{ state: 'ok' }]);
      expect(line('issuer')!.state).toBe('ok');
    });

    test('that it has signed itself', async () => {
      const { certificate, problems } = await consoleWith(selfSigned(temporaryDirectory()), {
        NODE_EXTRA_CA_CERTS: '',
      });
      expect(certificate).toMatchObject([
        {
          state: 'problem',
          reason: expect.stringContaining('No authority that is known here'),
          fix: expect.stringContaining('CONSOLE_TLS_CERT'),
        },
      ]);
      expect(problems).toContain('issuer');
    });

    test('that has expired', async () => {
      const { certificate } = await consoleWith(signedCertificate(temporaryDirectory(), 'localhost', -1));
      expect(certificate).toMatchObject([
        {
          state: 'problem',
          reason: expect.stringContaining('It expired at'),
          fix: expect.stringContaining('Renew'),
        },
      ]);
    });

    test('that expires soon', async () => {
      const { certificate, line } = await consoleWith(
        signedCertificate(temporaryDirectory(), 'localhost', 5),
      );
      expect(certificate).toMatchObject([
        { state: 'warning', reason: expect.stringContaining('It expires at') },
      ]);
      expect(line('issuer')!.state).toBe('ok');
    });

    test('for another name', async () => {
      const { certificate } = await consoleWith(signedCertificate(temporaryDirectory(), 'other.example', 30));
      expect(certificate).toMatchObject([
        { state: 'problem', reason: expect.stringContaining('not for localhost but for DNS:other.example') },
      ]);
    });
  });
});
