/** A console that sends its audit on, to servers with certificates that are made here. */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { signature } from '../../console/audit/forward/webhook-target.ts';
import { apiToken, machineToken, runFailing, startConsole } from '../helpers/console.ts';
import { makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import { receiveSyslog } from './forward-support.ts';

const patient = { timeout: 15_000 };

test.skipIf(opensslIsMissing).each([
  ['one process', '1'],
  ['two workers', '2'],
])('a console of %s sends each entry on, by syslog and by webhook', async (_name, workers) => {
  const certificate = await makeCertificate();
  onTestFinished(certificate.remove);
  const files = { cert: certificate.pem, key: readFileSync(certificate.keyFile) };
  const syslog = await receiveSyslog(files);
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const bodies: string[] = [];
  let refused = 0;
  const server = createServer(files, async (req, res) => {
    let body = '';
    for await (const chunk of req.setEncoding('utf8')) body += chunk;
    const [id, time] = [String(req.headers['webhook-id']), String(req.headers['webhook-timestamp'])];
    const isSigned = req.headers['webhook-signature'] === `v1,${signature(secret, id, time, body)}`;
    // The first one fails, so that the log has something to say.
    const isTaken = isSigned && refused > 0;
    if (isTaken) bodies.push(body);
    else refused++;
    res.writeHead(isTaken ? 204 : 503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const console = await startConsole({
    env: {
      CONSOLE_AUDIT_SYSLOG: `localhost:${syslog.port}`,
      CONSOLE_AUDIT_SYSLOG_CA: certificate.certificateFile,
      CONSOLE_AUDIT_WEBHOOK: `https://localhost:${(server.address() as AddressInfo).port}/audit`,
      CONSOLE_AUDIT_WEBHOOK_SECRET: secret,
      CONSOLE_LOG_LEVEL: 'trace',
      CONSOLE_WORKERS: workers,
      NODE_EXTRA_CA_CERTS: certificate.certificateFile,
    },
  });
  onTestFinished(async () => void (await console.stop()));
  await machineToken(console);
  await vi.waitFor(() => expect(syslog.messages.join('\n')).toContain('"event":"token.issued"'), patient);
  await vi.waitFor(() => expect(bodies.join('')).toContain('"event":"token.issued"'), patient);
  expect(refused).toBe(1);
  const authorization = `Bearer ${await apiToken(console)}`;
  for (let i = 0; i < 4; i++) {
    const asked = await fetch(`${console.url}/api/v1/audit?event=token.issued`, {
      headers: { authorization },
    });
    expect(asked.status).toBe(200);
    expect(await asked.text()).toContain('"event":"token.issued"');
  }
  const said = console.stderr();
  expect(said).toContain('webhook');
  for (const one of [secret, secret.slice('whsec_'.length)]) {
    expect(said + bodies.join('') + syslog.messages.join('')).not.toContain(one);
  }
});

test('settings that do not go together are refused at the start', async () => {
  const { code, stdout, stderr } = await runFailing({
    env: { CONSOLE_AUDIT_WEBHOOK: 'https://logs.example.com/audit' },
  });
  expect(code).toBe(78);
  expect(stdout + stderr).toContain('CONSOLE_AUDIT_WEBHOOK and CONSOLE_AUDIT_WEBHOOK_SECRET go together');
});
