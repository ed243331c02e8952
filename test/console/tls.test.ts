/** What the console agrees on where TLS is spoken, as a server and as a client (S101, RFC 9325 §4.2). */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, type SecureVersion } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../commands/support.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { freePort, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';

const why = opensslIsMissing ? ` (skipped: ${opensslIsMissing})` : '';

describe.skipIf(opensslIsMissing).each(['rsa', 'ec'] as const)(
  `a console with a certificate of an %s key${why}`,
  (key) => {
    let certificate: Certificate;
    let console: RunningConsole;
    beforeAll(async () => {
      certificate = await makeCertificate(key);
      const port = await freePort();
      const env = {
        CONSOLE_TLS_CERT: certificate.certificateFile,
        CONSOLE_TLS_KEY: certificate.keyFile,
        CONSOLE_URL: `https://localhost:${port}`,
      };
      console = await startConsole({ port, env });
    });
    afterAll(async () => {
      await console?.stop();
      await certificate?.remove();
    });

    /** @returns the cipher that was agreed on, or the alert */
    function handshake(version: SecureVersion, ciphers: string): Promise<string> {
      const { port } = new URL(console.url);
      // Level 0: the client itself would rather not, and offers it all the same.
      const offered = {
        minVersion: version,
        maxVersion: version,
        ciphers: version === 'TLSv1.3' ? ciphers : `${ciphers}:@SECLEVEL=0`,
      };
      return new Promise((resolve) => {
        const socket = connect({
          port: Number(port),
          host: 'localhost',
          rejectUnauthorized: false,
          ...offered,
        });
        socket.once('secureConnect', () => resolve(socket.getCipher().name));
        socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(`refused: ${code}`));
        socket.once('close', () => socket.destroy());
      });
    }

    const signature = key === 'ec' ? 'ECDSA' : 'RSA';
    test.each([
      ['CBC', `ECDHE-${signature}-AES128-SHA`],
      ['CBC with SHA-2', `ECDHE-${signature}-AES256-SHA384`],
      ...(key === 'rsa'
        ? [
            ['no forward secrecy', 'AES128-GCM-SHA256'],
            ['no forward secrecy, CBC', 'AES256-SHA'],
            ['DHE', 'DHE-RSA-AES128-GCM-SHA256'],
          ]
        : []),
    ])('TLS 1.2 with %s is refused (S101): %s (D6)', async (_name, cipher) => {
      expect(await handshake('TLSv1.2', cipher)).toMatch(/^refused: ERR_SSL_.*ALERT_HANDSHAKE_FAILURE/);
    });

    test.each([
      ['TLSv1.2', `ECDHE-${signature}-AES128-GCM-SHA256`],
      ['TLSv1.2', `ECDHE-${signature}-AES256-GCM-SHA384`],
      ['TLSv1.2', `ECDHE-${signature}-CHACHA20-POLY1305`],
      ['TLSv1.3', 'TLS_AES_128_GCM_SHA256'],
    ] as const)('%s with %s is taken (S101) (D6)', async (version, cipher) => {
      expect(await handshake(version, cipher)).toBe(cipher);
    });

    test('TLS 1.1 is refused (S87) (D6)', async () => {
      expect(await handshake('TLSv1.1', 'ALL')).toMatch(/^refused: /);
    });
  },
);

describe.skipIf(opensslIsMissing)(`a server that speaks TLS 1.2${why}`, () => {
  let certificate: Certificate;
  beforeAll(async () => {
    certificate = await makeCertificate();
  });
  afterAll(() => certificate?.remove());

  /** @returns its address, until the test is over */
  async function serve(
    ciphers: string,
  ): Promise<{ readonly address: string; asked(): number; close(): Promise<void> }> {
    const files = { cert: certificate.pem, key: readFileSync(certificate.keyFile) };
    let asked = 0;
    const server: Server = createServer({ ...files, ciphers, maxVersion: 'TLSv1.2' }, (_req, res) => {
      asked += 1;
      res.writeHead(200, { 'Content-Length': 2, 'Content-Type': 'application/json' }).end('{}');
    });
    await new Promise<void>((done) => server.listen(0, 'localhost', done));
    return {
      address: `https://localhost:${(server.address() as AddressInfo).port}`,
      asked: () => asked,
      async close() {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      },
    };
  }

  const offers = [
    ['with CBC alone is not spoken to', 'ECDHE-ECDSA-AES128-SHA256', false],
    ['with AEAD is spoken to', 'ECDHE-ECDSA-AES128-GCM-SHA256', true],
  ] as const;

  test.each(offers)('as a member, %s (S101) (D6)', async (_name, ciphers, isSpokenTo) => {
    const server = await serve(ciphers);
    const env = {
      CONSOLE_MEMBERS: server.address,
      CONSOLE_MEMBER_PREFIX: 'svc',
      NODE_EXTRA_CA_CERTS: certificate.certificateFile,
    };
    const console = await startConsole({ env });
    try {
      const headers = { authorization: `Bearer ${await machineToken(console)}` };
      const reply = await fetch(`${console.url}/svc/rest/maps/m/k`, { headers });
      expect(reply.status).toBe(isSpokenTo ? 200 : 503);
    } finally {
      await console.stop();
      await server.close();
    }
  });

  test.each(offers)('as an upstream provider, %s (S101) (D6)', async (_name, ciphers, isSpokenTo) => {
    const server = await serve(ciphers);
    const dataDir = temporaryDirectory();
    const env = { CONSOLE_OUTBOUND_ALLOW: '127.0.0.1,::1', NODE_EXTRA_CA_CERTS: certificate.certificateFile };
    const add = [
      '--kind',
      'oidc',
      '--issuer',
      server.address,
      '--client-id',
      'c',
      '--default-role',
      'Viewer',
    ];
    try {
      await toolDone(['idp', 'add', 'it', ...add, '--client-auth', 'none'], { dataDir, env });
      await runTool(['idp', 'test', 'it'], { dataDir, env });
      expect(server.asked() > 0).toBe(isSpokenTo);
    } finally {
      await server.close();
    }
  });
});
