/** Members behind `https:` addresses, from a console of its own: who is trusted is decided when a process starts. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import { startProxy } from './servers.ts';
import { tokenFor } from './tokens.ts';

describe.skipIf(opensslIsMissing)(
  `a member behind TLS${opensslIsMissing ? ` (skipped: ${opensslIsMissing})` : ''}`,
  () => {
    const large = Buffer.alloc(3_000_000, 'x');
    let certificate: Certificate;
    let close: () => Promise<unknown>;
    let address: string;
    let connections = 0;

    beforeAll(async () => {
      certificate = await makeCertificate();
      const files = { cert: certificate.pem, key: readFileSync(certificate.keyFile) };
      const server = createServer(files, async (req, res) => {
        let length = 0;
        for await (const chunk of req) length += chunk.length;
        res.end(req.url!.endsWith('/large') ? large : `${req.method} ${length}`);
      });
      server.on('secureConnection', () => {
        connections += 1;
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      address = `https://localhost:${(server.address() as AddressInfo).port}`;
      close = async () => {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      };
    });
    afterAll(async () => {
      await close?.();
      await certificate?.remove();
    });

    describe('whose certificate is trusted', () => {
      let console: RunningConsole;
      let authorization: string;

      beforeAll(async () => {
        const env = {
          CONSOLE_MEMBERS: address,
          CONSOLE_MEMBER_PREFIX: 'svc',
          NODE_EXTRA_CA_CERTS: certificate.certificateFile,
        };
        console = await startConsole({ env });
        authorization = `Bearer ${await machineToken(console)}`;
      });
      afterAll(() => console?.stop());

      const call = (method: string, path: string, body?: string) =>
        fetch(`${console.url}/svc/rest/maps/${path}`, {
          method,
          headers: { authorization },
          ...(body && { body }),
        });

      test('is called, over connections that are used again', async () => {
        const before = connections;
        for (let i = 0; i < 5; i += 1) expect(await (await call('GET', 'm/k')).text()).toBe('GET 0');
        expect(connections - before).toBeLessThanOrEqual(2);
      });

      test.each([1, 60_000, 3_000_000])('takes a body of %i bytes', async (size) => {
        expect(await (await call('POST', 'm/k', 'x'.repeat(size))).text()).toBe(`POST ${size}`);
      });

      test('gives one of 3 MB', async () => {
        const body = Buffer.from(await (await call('GET', 'm/large')).arrayBuffer());
        expect(body.equals(large)).toBe(true);
      });
    });

    test('whose certificate nobody trusts is not called: 503 no_member', async () => {
      const proxy = await startProxy({ members: [address] });
      try {
        const authorization = `Bearer ${await tokenFor(proxy.key, 'Admin')}`;
        const reply = await fetch(`${proxy.address}/svc/rest/maps/m/k`, { headers: { authorization } });
        expect(reply.status).toBe(503);
        expect(await reply.json()).toMatchObject({ code: 'no_member' });
      } finally {
        await proxy.close();
      }
    });
  },
);
