/** `/api/v1/health` of a running console: what is amiss, and what puts it right. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiToken, freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { startRecorder } from '../member-proxy/servers.ts';

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly reason: string;
  readonly fix: string | null;
}
interface Health {
  readonly state: string;
  readonly checkedAt: string;
  readonly findings: readonly Finding[];
}

let member: Awaited<ReturnType<typeof startRecorder>>;
let isReady = true;
let console: RunningConsole;
let gone: string;
beforeAll(async () => {
  member = await startRecorder((_req, res) => {
    res.statusCode = isReady ? 200 : 503;
    res.end();
  });
  gone = `127.0.0.1:${await freePort()}`;
  console = await startConsole({ env: { CONSOLE_MEMBERS: `${member.address},http://${gone}` } });
});
afterAll(async () => {
  await console?.stop();
  await member?.close();
});

async function health(method: 'GET' | 'POST', scope?: string): Promise<Health> {
  const path = method === 'GET' ? '/health' : '/health/run';
  const headers = { Authorization: `Bearer ${await apiToken(console, scope)}` };
  const response = await fetch(`${console.url}/api/v1${path}`, { method, headers });
  expect(response.status).toBe(200);
  return (await response.json()) as Health;
}
const about = ({ findings }: Health, check: string) => findings.find((one) => one.check === check);

test('says of members, store and keys how they are, the worst first', async () => {
  await until(async () => about(await health('POST'), `member ${gone}`)?.state === 'problem', 'the probe');
  const found = await health('POST', 'app:Viewer');
  expect(found.state).toBe('problem');
  expect(about(found, `member ${gone}`)?.fix).toContain('Start it');
  expect(about(found, `member ${new URL(member.address).host}`)).toMatchObject({ state: 'ok', fix: null });
  expect(about(found, 'store')).toMatchObject({ state: 'ok' });
  expect(about(found, 'keys')).toMatchObject({ state: 'ok' });
  expect(about(found, 'members')).toBeUndefined();
  expect(Date.now() - Date.parse(found.checkedAt)).toBeLessThan(5_000);
});

test('asks members anew when it is run, and tells the same until then', async () => {
  const host = `member ${new URL(member.address).host}`;
  const before = await health('POST');
  expect((await health('GET')).checkedAt).toBe(before.checkedAt);
  isReady = false;
  expect(about(await health('POST'), host)?.state).toBe('problem');
  isReady = true;
  await until(async () => about(await health('POST'), host)?.state === 'ok', 'its return');
});

test('a member that goes out and comes back is said at once, as all other pages say it', async () => {
  const { host } = new URL(member.address);
  const headers = { Authorization: `Bearer ${await apiToken(console)}` };
  const stateNow = async () => {
    const response = await fetch(`${console.url}/api/v1/members/${host}`, { headers });
    return ((await response.json()) as { state: string }).state;
  };
  for (const [ready, state, found] of [
    [false, 'out', 'problem'],
    [true, 'in', 'ok'],
  ] as const) {
    isReady = ready;
    await until(async () => {
      const before = about(await health('GET'), `member ${host}`)?.state;
      return (await stateNow()) === state && before !== undefined;
    }, `its state ${state}`);
    expect(about(await health('GET'), `member ${host}`)?.state).toBe(found);
  }
});

test('warns of a drained member, and of a licence that ends soon', async () => {
  const headers = {
    Authorization: `Bearer ${await apiToken(console)}`,
    'Content-Type': 'application/json',
  };
  const expiresAt = new Date(Date.now() + 5 * 24 * 3600 * 1000).toISOString();
  const licence = JSON.stringify({ id: 'lic-1', holder: 'Orders Ltd', edition: 'team', expiresAt });
  await fetch(`${console.url}/api/v1/licence`, { method: 'PUT', headers, body: licence });
  await fetch(`${console.url}/api/v1/members/${gone}/drain`, { method: 'POST', headers });
  const found = await health('POST');
  expect(about(found, 'licence')).toMatchObject({
    state: 'warning',
    reason: 'Licence lic-1 ends in 4 days.',
  });
  expect(about(found, `member ${gone}`)).toMatchObject({ state: 'warning', reason: 'It is drained.' });
});
