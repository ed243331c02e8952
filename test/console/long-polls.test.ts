/** A poll may wait for longer than a process has to end: it is answered in time, and not cut (S81). */
import { expect, test } from 'vitest';
import { machineToken, startConsole, waitFor } from '../helpers/console.ts';
import { addProxyClient, memberOf, startProxy } from '../proxy/support.ts';

test('a console and a separate proxy that end answer what waits for longer, and end with 0', async () => {
  const console = await startConsole();
  const proxy = await startProxy({
    ...{ console, client: await addProxyClient(console), members: [memberOf(console)] },
  });
  const headers = { authorization: `Bearer ${await machineToken(console)}` };
  const polls = [console, proxy].map(({ url }) =>
    fetch(`${url}/svc/rest/queues/none/600`, { headers }).then(({ status }) => status),
  );
  for (const { url } of [console, proxy]) await untilOneWaits(url, headers);
  console.child.kill('SIGTERM');
  proxy.child.kill('SIGTERM');
  expect(await Promise.all(polls)).toEqual([204, 204]);
  expect(await Promise.all([console.stop(), proxy.stop()])).toEqual([0, 0]);
  await waitFor(() => proxy.log().some(({ msg }) => msg === 'stopped'), 'its last line');
}, 90_000);

async function untilOneWaits(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const numbers = await (await fetch(`${url}/metrics`, { headers })).text();
    if (/^console_queue_polls_waiting(?:\{[^}]*\})? 1$/m.test(numbers)) return;
    if (Date.now() > deadline)
      throw new Error(`waited 20 s in vain for a poll at ${url}: ${numbers.slice(0, 300)}`);
    await new Promise((tick) => setTimeout(tick, 50));
  }
}
