/** Entries that are sent on: to real receivers that are away, hang, refuse, break off and come back. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openDelivered } from '../../console/audit/forward/delivered.ts';
import { startForwarder, type Target } from '../../console/audit/forward/forwarder.ts';
import { createSyslogTarget } from '../../console/audit/forward/syslog-target.ts';
import { createWebhookTarget, signature } from '../../console/audit/forward/webhook-target.ts';
import { createKnownSegments } from '../../console/audit/index/known-segments.ts';
import { createOutbound } from '../../console/http/outbound/outbound.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import { hang, receiveSyslog, sequenceOf } from './forward-support.ts';
import { newAuditDirectory, writeSegment } from './support.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
const patient = { timeout: 15_000 };

function forwarding(directory: string, target: Target, now = Date.now) {
  const logged: string[] = [];
  const stop = startForwarder({
    target,
    segments: createKnownSegments(directory),
    delivered: openDelivered(markFile(directory, target.name)),
    log: (_fields, message) => logged.push(message),
    now,
  });
  onTestFinished(stop);
  return { stop, logged };
}

function markFile(directory: string, name: string): string {
  return join(directory, 'forward-marks', `${name}.json`);
}

function markOf(directory: string, name: string) {
  const file = markFile(directory, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { reached: {} };
}

describe.skipIf(opensslIsMissing)('syslog over TLS', () => {
  let certificate: Certificate;
  let files: { readonly cert: string; readonly key: Buffer };

  beforeAll(async () => {
    certificate = await makeCertificate();
    files = { cert: certificate.pem, key: readFileSync(certificate.keyFile) };
  });
  afterAll(() => certificate?.remove());

  function syslogAt(port: number, ca: string | undefined = certificate.pem): Target {
    const ownHost = 'console.example.com';
    return createSyslogTarget({
      ...{ host: 'localhost', port, ca, format: 'json', ownHost, version: '1.0.0', timeoutMs: 1000 },
    });
  }

  test('gets every entry in order, as RFC 5424 says, and the mark has what has arrived', async () => {
    const directory = await newAuditDirectory();
    const receiver = await receiveSyslog(files);
    writeSegment(directory, 'aaaa', { count: 700 });
    const { stop } = forwarding(directory, syslogAt(receiver.port));
    await vi.waitFor(() => expect(sequenceOf(receiver.messages)).toEqual(upTo(700)), patient);
    expect(receiver.messages[0]).toMatch(
      /^<110>1 2026-11-22T\S+Z console\.example\.com cluster-console aaaa login \[meta sequenceId="1"\] \{"v":1,/,
    );
    await stop();
    expect(markOf(directory, 'syslog').reached).toEqual({ aaaa: 700 });
  });

  test('after a start gets what came meanwhile, and nothing that had arrived', async () => {
    const directory = await newAuditDirectory();
    const receiver = await receiveSyslog(files);
    writeSegment(directory, 'aaaa', { count: 10 });
    const first = forwarding(directory, syslogAt(receiver.port));
    await vi.waitFor(() => expect(receiver.messages).toHaveLength(10), patient);
    await first.stop();
    writeSegment(directory, 'aaaa', { count: 30 });
    forwarding(directory, syslogAt(receiver.port));
    await vi.waitFor(() => expect(sequenceOf(receiver.messages)).toEqual(upTo(30)), patient);
  });

  test('goes on when a receiver that broke off is back: nothing is missing, and in order', async () => {
    const directory = await newAuditDirectory();
    const first = await receiveSyslog(files);
    writeSegment(directory, 'aaaa', { count: 20 });
    const { logged } = forwarding(directory, syslogAt(first.port));
    await vi.waitFor(() => expect(first.messages).toHaveLength(20), patient);
    await first.close();
    writeSegment(directory, 'aaaa', { count: 40 });
    await vi.waitFor(() => expect(logged).toHaveLength(1), patient);
    const again = await receiveSyslog(files, first.port);
    // What the first had not confirmed comes once more.
    await vi.waitFor(() => expect(sequenceOf(again.messages)).toEqual(upTo(40)), patient);
  });

  test('a receiver that hangs, or whose certificate nobody trusts, moves no mark and ends nothing', async () => {
    const directory = await newAuditDirectory();
    writeSegment(directory, 'aaaa', { count: 20 });
    const hanging = forwarding(directory, syslogAt(await hang()));
    await vi.waitFor(() => expect(hanging.logged).toHaveLength(1), patient);
    expect(markOf(directory, 'syslog').reached).toEqual({});
    await hanging.stop();
    const receiver = await receiveSyslog(files);
    const { logged } = forwarding(directory, syslogAt(receiver.port, await unknownAuthority()));
    await vi.waitFor(() => expect(logged).toHaveLength(1), patient);
    expect(receiver.messages).toEqual([]);
    expect(markOf(directory, 'syslog').reached).toEqual({});
  });

  async function unknownAuthority(): Promise<string> {
    const other = await makeCertificate();
    onTestFinished(other.remove);
    return other.pem;
  }
});

describe('a webhook', () => {
  const secret = 'a-secret-of-at-least-thirty-two-characters';

  async function receiver(statuses: number[] = []) {
    const calls: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
    const server = createServer(async (req, res) => {
      let body = '';
      for await (const chunk of req.setEncoding('utf8')) body += chunk;
      calls.push({ headers: req.headers, body });
      res.writeHead(statuses.shift() ?? 204).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/audit` };
  }

  function webhookAt(url: string, { discardAfterMs = 86_400_000, now = Date.now } = {}): Target {
    const outbound = createOutbound({ allow: [], isKnownLoopback: (origin) => url.startsWith(origin) });
    return createWebhookTarget({ url, secret, outbound, now, discardAfterMs });
  }

  const entriesOf = (body: string) =>
    body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).seq as number);

  test('gets entries as they are stored, signed over id, time and body', async () => {
    const directory = await newAuditDirectory();
    const { calls, url } = await receiver();
    writeSegment(directory, 'aaaa', { count: 600 });
    const { stop } = forwarding(directory, webhookAt(url));
    await vi.waitFor(() => expect(calls.flatMap(({ body }) => entriesOf(body))).toEqual(upTo(600)), patient);
    for (const { headers, body } of calls) {
      const id = String(headers['webhook-id']);
      const time = String(headers['webhook-timestamp']);
      expect(headers['webhook-signature']).toBe(`v1,${signature(secret, id, time, body)}`);
      expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(60);
    }
    await vi.waitFor(() => expect(markOf(directory, 'webhook').reached).toEqual({ aaaa: 600 }), patient);
    await stop();
  });

  test('that refuses gets the same entries again, under the same id', async () => {
    const directory = await newAuditDirectory();
    const { calls, url } = await receiver([503, 500]);
    writeSegment(directory, 'aaaa', { count: 5 });
    const { logged } = forwarding(directory, webhookAt(url));
    await vi.waitFor(() => expect(calls).toHaveLength(3), patient);
    expect(new Set(calls.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(['aaaa-1-5']));
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
    await vi.waitFor(() => expect(logged).toHaveLength(2), patient);
  });

  test('that refuses for a day misses what it refused, and is told so; what comes later it gets', async () => {
    const directory = await newAuditDirectory();
    const { calls, url } = await receiver([500, 500]);
    writeSegment(directory, 'aaaa', { count: 5 });
    let now = Date.now();
    const { logged } = forwarding(directory, webhookAt(url), () => now);
    await vi.waitFor(() => expect(logged).toHaveLength(1), patient);
    now += 86_400_001;
    await vi.waitFor(
      () => expect(logged).toContain('entries of the audit were refused for too long, and are passed over'),
      patient,
    );
    writeSegment(directory, 'aaaa', { count: 8 });
    await vi.waitFor(() => expect(entriesOf(calls.at(-1)!.body)).toEqual([6, 7, 8]), patient);
  });

  test('at a private address that no setting names is not called', async () => {
    const outbound = createOutbound({ allow: [], isKnownLoopback: () => false });
    const target = createWebhookTarget({ url: 'https://10.0.0.1/audit', secret, outbound, now: Date.now });
    const directory = await newAuditDirectory();
    writeSegment(directory, 'aaaa', { count: 1 });
    const { logged } = forwarding(directory, target);
    await vi.waitFor(() => expect(logged).toHaveLength(1), patient);
    expect(markOf(directory, 'webhook').reached).toEqual({});
  });
});
