/** `/observe/traffic`: calls of the last hour, by the front door, and the operation that it asks. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiCaller } from '../admin-api/support.ts';
import { apiToken, clientSecret, machineToken, type RunningConsole } from '../helpers/console.ts';
import { callApi, personWith, startWithAdmin } from '../helpers/management.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

const hostile = 'a<b>"ä‮😀';

describe.each([
  { name: 'one process', workers: '1' },
  { name: 'two workers', workers: '2' },
])('with $name', ({ workers }) => {
  let console: RunningConsole;
  let ada: UserAgent;
  beforeAll(async () => {
    ({ console, ada } = await startWithAdmin({ env: { CONSOLE_WORKERS: workers } }));
    await callApi(console, 'POST', '/clients', {
      id: 'billing',
      secret: clientSecret,
      scopes: ['svc:map:orders:read', 'svc:map:orders:write'],
    });
    const token = await machineToken(console);
    const own = await tokenOf(console, 'billing');
    // Each on a connection of its own: with several processes, not all at one of them.
    for (let at = 0; at < 4; at++) await call(console, token, 'PUT', '/svc/rest/maps/orders/secret-key');
    await call(console, token, 'GET', `/svc/rest/maps/${encodeURIComponent(hostile)}/1`);
    await call(console, own, 'GET', '/svc/rest/queues/jobs/size');
    await call(console, own, 'GET', '/svc/rest/maps/orders/secret-key');
    await call(console, 'nothing', 'GET', '/svc/rest/maps/unknown-caller/1');
  });
  afterAll(() => console?.stop());
  const read = async (query: string) =>
    apiCaller(console, '/traffic/calls', await apiToken(console))('GET', query);

  test('says who has called what, what was refused, and what took longest, whichever process it was', async () => {
    const { status, body } = await read('?minutes=60');
    expect(status).toBe(200);
    expect(body).toMatchObject({ calls: 8, failed: 0 });
    const callsOf = (groups: { id: string | null; calls: number }[]) =>
      Object.fromEntries(groups.map(({ id, calls }) => [String(id), calls]));
    expect(callsOf(body.clients)).toEqual({ 'application-client': 5, billing: 2, null: 1 });
    expect(callsOf(body.structures)).toEqual({
      'map:orders': 5,
      [`map:${hostile}`]: 1,
      'queue:jobs': 1,
      null: 1,
    });
    expect(callsOf(body.members)).toEqual({ [body.members[0].id]: 6, null: 2 });
    expect(body.denials).toContainEqual({
      client: 'billing',
      structure: 'queue:jobs',
      status: 403,
      calls: 1,
    });
    expect(body.latest).toHaveLength(8);
    expect(body.latest[0]).toMatchObject({ status: 401, client: null, structure: null });
    expect(JSON.stringify(body)).not.toMatch(/secret-key|unknown-caller/);
  });

  test.each([
    { query: 'client=billing', calls: 2 },
    { query: 'structure=map:orders', calls: 5 },
    { query: 'structure=map:orders&client=billing', calls: 1 },
    { query: 'status=4xx&client=billing', calls: 1 },
    { query: 'status=403', calls: 1 },
    { query: 'member=10.9.9.9:1', calls: 0 },
  ])('narrows by $query', async ({ query, calls }) => {
    const { body } = await read(`?minutes=60&${query}`);
    expect([body.calls, body.latest.length]).toEqual([calls, calls]);
  });

  test('shows them on a page, each name leading to its own', async () => {
    const page = await ada.get('/observe/traffic?minutes=60');
    expect(titleOf(page)).toBe('Traffic');
    expect(textOf(page)).toMatch(/Calls 8 .*Refused most .*billing queue:jobs 403 1/);
    expect(page.body).toContain('href="/access/clients/billing"');
    expect(page.body).toContain('href="/cluster/maps/orders"');
    expect(page.body).toContain('href="/observe/traffic?minutes=60&amp;client=billing&amp;status=4xx"');
    // A period is taken off, unless it is the usual one, which the form sends each time.
    expect(textOf(page)).toContain('Period: 1 h');
    expect(textOf(await ada.get('/observe/traffic?client=&minutes=15'))).not.toContain('Period: 15 min');
    expect(page.body).toMatch(/href="\/observe\/decisions\/[^"]+"/);
    expect(page.body).not.toContain('<b>');
    const narrowed = await ada.get('/observe/traffic?client=nobody');
    expect(textOf(narrowed)).toContain('No call matches this filter.');
  });

  test.each([
    { query: 'status=nonsense', said: 'status' },
    { query: 'minutes=0', said: 'minutes' },
    { query: 'minutes=61', said: 'minutes' },
    { query: `client=${'x'.repeat(1_001)}`, said: 'client' },
  ])('refuses $query', async ({ query }) => {
    expect((await read(`?${query}`)).status).toBe(400);
    expect((await ada.get(`/observe/traffic?${query}`)).status).toBe(400);
  });

  test.each([
    { roles: ['Viewer'], status: 200 },
    { roles: ['MetricsViewer'], status: 200 },
    { roles: [], status: 403 },
  ])('opens to $roles with $status', async ({ roles, status }) => {
    const agent = await personWith(console, `the-${roles[0] ?? 'nobody'}`, roles);
    expect((await agent.get('/observe/traffic')).status).toBe(status);
  });

  test('sends whoever is signed out to the sign-in', async () => {
    const reply = await createUserAgent(console.url).get('/observe/traffic');
    expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
  });

  test('keeps a bounded memory: of a thousand names one after the other what is more has none', async () => {
    const token = await machineToken(console);
    for (let at = 0; at < 1_100; at += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, more) =>
          call(console, token, 'GET', `/svc/rest/maps/n${at + more}/1`),
        ),
      );
    }
    const { body } = await read('?minutes=60');
    expect(body.calls).toBe(1_108);
    expect(body.structures).toHaveLength(50);
    // The last of them as lines, and how many there are besides.
    const page = await ada.get('/observe/traffic?minutes=60');
    const [, latest] = page.body.split('id="latest"');
    expect(latest!.split('</section>')[0]!.match(/<tr>/g)).toHaveLength(1 + 50);
    expect(textOf(page)).toContain('1,058 more in this period');
  });
});

async function call({ url }: RunningConsole, token: string, method: string, path: string): Promise<void> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, Connection: 'close' },
    ...(method === 'PUT' && { body: 'a value' }),
  });
  await response.arrayBuffer();
}

async function tokenOf({ url }: RunningConsole, id: string): Promise<string> {
  const response = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${id}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'svc:map:orders:read' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
