/** What HAProxy asks again when a proxy ends while it has the call: what is read of maps, and nothing else. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../helpers/ports.ts';
import { until } from '../helpers/store.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import type { RunningProgram } from '../peers/support/program.ts';
import { fronts, startFront } from './fronts.ts';
import { callFront, type Installation } from './support.ts';

/** What has arrived, at whichever of the two. */
const arrived: string[] = [];

/** Stands where a proxy stands: takes a call and ends its connection, unless the call has been here before. */
async function startBreaking(port: number): Promise<Server> {
  const server = createServer((req, res) => {
    if (req.url === '/ready') return res.end();
    const call = `${req.method} ${req.url}`;
    const isNew = !arrived.includes(call);
    arrived.push(call);
    if (isNew) return req.socket.destroy();
    return res.end('at the second try');
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return server;
}

const front = fronts.find(({ name }) => name === 'HAProxy')!;
const missing = front.missing ?? (opensslIsMissing && ` (skipped: ${opensslIsMissing})`);

describe.skipIf(missing)(`HAProxy in front of proxies that break calls off${missing ?? ''}`, () => {
  let certificate: Certificate;
  let running: RunningProgram;
  let proxies: Server[];
  let call: Installation['call'];

  beforeAll(async () => {
    certificate = await makeCertificate();
    const [port, plainPort, one, other] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    const gone = async () => ({ port: await freePort(), managementPort: await freePort() });
    proxies = [await startBreaking(one), await startBreaking(other)];
    running = await startFront(front, {
      ...{ port, plainPort, certificate, proxyPorts: [one, other] },
      consoles: [await gone(), await gone()],
    });
    call = callFront(port, certificate);
    const isUp = async () => (await triesOf('GET', '/svc/rest/maps/up/1')) > 0;
    await until(isUp, 'its routes', 30_000);
  }, 60_000);
  afterAll(async () => {
    await running?.stop();
    for (const server of proxies ?? []) {
      server.closeAllConnections();
      server.close();
    }
    await certificate?.remove();
  });

  /** How often a call arrived. */
  async function triesOf(method: string, path: string, headers = {}): Promise<number> {
    arrived.length = 0;
    const body = method === 'GET' ? {} : { body: 'x' };
    const answer = await call(method, path, { headers, ...body }).catch(() => ({ status: 0, body: '' }));
    const isAnswered = answer.body === 'at the second try';
    expect(isAnswered).toBe(arrived.length > 1);
    return arrived.length;
  }

  test('asks again what is read of maps', async () => {
    for (const path of ['/svc/rest/maps/orders/1', '/hazelcast/rest/maps/orders/1', '/svc/rest/maps/a/b%2Fc'])
      expect(await triesOf('GET', path), path).toBe(2);
  });

  test.each([
    ['GET', '/svc/rest/queues/work/10'],
    ['POST', '/svc/rest/queues/work'],
    ['POST', '/hazelcast/rest/management/cluster/state'],
    ['POST', '/svc/rest/wan/sync/map'],
    ['GET', '/svc/rest/queues/maps/1?x=/svc/rest/maps/'],
  ])('never asks again %s %s', async (method, path) => {
    expect(await triesOf(method, path)).toBe(1);
  });

  test('never asks again with a proof of possession', async () => {
    expect(await triesOf('GET', '/svc/rest/maps/orders/2', { DPoP: 'a.b.c' })).toBe(1);
  });
});
