/** What Traefik does with consoles that are not ready, and with what has been sent to one that breaks it off. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort, freePorts } from '../helpers/ports.ts';
import { until } from '../helpers/store.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import type { RunningProgram } from '../peers/support/program.ts';
import { fronts, startFront } from './fronts.ts';
import { callFront, type Installation } from './support.ts';

/** Stands where a console stands, or a proxy. */
interface Place {
  readonly server: Server;
  readonly port: number;
  isReady: boolean;
  doesBreak: boolean;
  /** Since the beginning of the test. */
  arrived: number;
}

async function startPlace(): Promise<Place> {
  const server = createServer((req, res) => {
    if (req.url === '/live') return res.end();
    if (req.url === '/ready') return res.writeHead(place.isReady ? 200 : 503).end();
    place.arrived++;
    if (place.doesBreak) return req.socket.destroy();
    return res.end();
  });
  const port = await freePort();
  const place: Place = { server, port, isReady: true, doesBreak: false, arrived: 0 };
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return place;
}

const front = fronts.find(({ name }) => name === 'Traefik')!;
const missing = front.missing ?? (opensslIsMissing && ` (skipped: ${opensslIsMissing})`);

describe.skipIf(missing)(`Traefik in front of two${missing ?? ''}`, () => {
  let certificate: Certificate;
  let running: RunningProgram;
  let places: readonly [Place, Place];
  let call: Installation['call'];

  beforeAll(async () => {
    certificate = await makeCertificate();
    places = [await startPlace(), await startPlace()];
    const [port = 0, plainPort = 0, managementPort = 0] = await freePorts(3);
    const [one, other] = places;
    running = await startFront(front, {
      ...{ port, plainPort, certificate, proxyPorts: [one.port, other.port] },
      consoles: [
        { port: one.port, managementPort },
        { port: other.port, managementPort },
      ],
    });
    call = callFront(port, certificate);
    await until(async () => (await statusOf('/login')) === 200, 'its routes', 30_000);
  }, 60_000);
  beforeEach(async () => {
    for (const place of places) Object.assign(place, { isReady: true, doesBreak: false });
    for (const path of ['/login', '/svc/rest/maps/orders/1'])
      await until(async () => (await arrivedOf(4, path)).every((n) => n === 2), 'requests for both', 20_000);
  });
  afterAll(async () => {
    await running?.stop();
    for (const { server } of places ?? []) {
      server.closeAllConnections();
      server.close();
    }
    await certificate?.remove();
  });

  const statusOf = (path: string, method = 'GET') =>
    call(method, path, method === 'GET' ? {} : { body: 'x' }).then(
      ({ status }) => status,
      () => undefined,
    );

  /** @returns how many of so many came to each */
  async function arrivedOf(requests: number, path = '/login'): Promise<readonly number[]> {
    for (const place of places) place.arrived = 0;
    for (let n = 0; n < requests; n++) await statusOf(path);
    return places.map(({ arrived }) => arrived);
  }

  test('a console that is not ready is left out, and all are asked while none is', async () => {
    places[0].isReady = false;
    await until(async () => (await arrivedOf(4))[0] === 0, 'it to be left out', 20_000);
    expect(await arrivedOf(6)).toEqual([0, 6]);
    places[1].isReady = false;
    await until(async () => (await arrivedOf(4))[0] === 2, 'both to be asked', 20_000);
    expect(await arrivedOf(6)).toEqual([3, 3]);
  });

  // A GET is, once and to the same place, when its connection had been used before: Traefik cannot be told otherwise.
  test.each([
    ['POST', '/oauth2/token'],
    ['PATCH', '/api/v1/users/ada'],
    ['POST', '/svc/rest/maps/orders/1'],
    ['POST', '/svc/rest/queues/work'],
    ['PUT', '/svc/rest/wan/sync/map'],
  ])('%s %s that has been sent is not sent again', async (method, path) => {
    for (const place of places) Object.assign(place, { arrived: 0, doesBreak: true });
    expect(await statusOf(path, method)).toBe(502);
    expect(places[0].arrived + places[1].arrived).toBe(1);
  });
});
