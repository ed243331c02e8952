import { afterAll, beforeAll, expect, test } from 'vitest';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';

let console: RunningConsole;
let headers: Record<string, string>;
beforeAll(async () => {
  console = await startConsole();
  headers = { Authorization: `Bearer ${await machineToken(console)}` };
});
afterAll(() => console.stop());

const patientMs = 20_000;

test('a group that is off at the embedded member is named, with the key that turns it on', async () => {
  const pause = async () => {
    const reply = await fetch(`${console.url}/svc/rest/wan/pausePublisher`, {
      method: 'POST',
      headers,
      body: '&&atlantic&london',
    });
    return (await reply.json().catch(() => ({}))) as { code?: string; detail?: string };
  };
  await until(async () => (await pause()).code === 'group_disabled', 'the groups that are off', patientMs);
  expect((await pause()).detail).toContain('network.rest-api.endpoint-groups.WAN.enabled: true');
});

test('the embedded member goes by its UUID too', async () => {
  const reply = await fetch(`${console.url}/svc/rest/cluster`, { headers });
  const { members } = (await reply.json()) as { members: [{ uuid: string }] };
  const pinned = () => fetch(`${console.url}/members/${members[0].uuid}/svc/rest/cluster`, { headers });
  await until(async () => (await pinned()).status === 200, 'the UUID of the member', patientMs);
});
