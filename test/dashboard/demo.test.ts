import { expect, test } from 'vitest';
import { startDemo } from '../helpers/demo.ts';
import { createUserAgent, textOf } from '../helpers/user-agent.ts';

test('the demo has something on every management page, a tour that works and plots that move, and leaves nothing behind', async () => {
  const demo = await startDemo();
  const { consoleUrl, dashboardUrl } = demo;
  let ended: Awaited<ReturnType<typeof demo.stop>>;
  try {
    await everyPageShows(consoleUrl, demo.passwordOf('ada'));
    await aJobRuns(consoleUrl, demo.passwordOf('ada'));
    const password = demo.passwordOf('vera');
    const dashboard = await signIn({ dashboardUrl, consoleUrl, username: 'vera', password });
    const size = async () => Number(/jobs .*?(\d+) items? /.exec(textOf(await dashboard.get('/')))?.[1]);
    const first = await size();
    await expect.poll(size, { timeout: 15_000, interval: 500 }).not.toBe(first);
  } finally {
    ended = await demo.stop();
  }
  expect(ended).toEqual({ code: 0, left: [] });
  for (const url of [consoleUrl, dashboardUrl])
    await expect(fetch(`${url}/live`)).rejects.toThrow('fetch failed');
}, 60_000);

interface SignIn {
  readonly dashboardUrl: string;
  readonly consoleUrl: string;
  readonly username: string;
  readonly password: string;
}

async function signIn({ dashboardUrl, consoleUrl, ...credentials }: SignIn) {
  const dashboard = createUserAgent(dashboardUrl);
  const console = createUserAgent(consoleUrl);
  const page = await console.follow(await console.get((await dashboard.get('/login')).headers.location!));
  const end = await console.follow(await console.submit(page, credentials));
  await dashboard.get(end.headers.location!);
  return dashboard;
}

/** What a page shows of the demo's data. */
const shown: Readonly<Record<string, RegExp>> = {
  '/': /Active .*2 members, version 5\.5.*Member \S+ It gets no calls: nobody listens/,
  '/cluster/members': /3 Live Pause How .*(?:127\S+ Takes calls Data member, 5\.5\.0 .*){2}/,
  '/cluster/maps': /orders/,
  '/cluster/maps/orders/a1': /Grace Hopper/,
  '/cluster/maps/logos/red': /image\/png/,
  '/cluster/queues': /mails/,
  '/cluster/wan': /atlantic\/london/,
  '/cluster/cp': /METADATA/,
  '/access/users':
    /ليلى.* Noah, without a role \S+ Invited No role .*Disabled .*Paul Lang \S+ Active Viewer corp .*Sofia Rossi \S+ Active Viewer partner/,
  '/access/roles': /OrdersReader/,
  '/access/clients': /reporter/,
  '/access/clients/billing': /Last used (?!Never)/,
  '/access/applications': /Team wiki/,
  '/access/applications/wiki': /Last logout (?!None).* Notified, not confirmed/,
  '/access/identity-providers':
    /Partner account \S+ SAML 2\.0 Metadata read .{1,20} Enabled Certificate ends in 9 days - 1 /,
  '/observe/health': /Identity provider partner Its signing certificate ends in 9 days\./,
  '/access/sessions': /milo/,
  '/observe/audit': /login\.failed|Refused/,
  '/observe/jobs': /Import of users Failed .*Verification of the audit Done .*Backup Done/,
  // A day before it began.
  '/?period=24h&table=calls': /(?:[\d-]+ \d\d:\d\d:00 UTC [\d.]+ ){90}/,
};

async function everyPageShows(consoleUrl: string, password: string): Promise<void> {
  const ada = createUserAgent(consoleUrl);
  await ada.signIn({ username: 'ada', password });
  const texts: [string, string][] = [];
  for (const path of Object.keys(shown)) texts.push([path, textOf(await ada.follow(await ada.get(path)))]);
  expect(texts.filter(([path, text]) => !shown[path]!.test(text))).toEqual([]);
  const traffic = async () => textOf(await ada.get('/observe/traffic'));
  await expect
    .poll(traffic, { timeout: 10_000, interval: 500 })
    .toMatch(/Refused most.* reporter map:orders 403/);
}

/** Beside those that are over, and it goes on: into a file of a long queue. */
async function aJobRuns(consoleUrl: string, password: string): Promise<void> {
  const ada = createUserAgent(consoleUrl);
  await ada.signIn({ username: 'ada', password });
  const running = async () => textOf(await ada.get('/observe/jobs?state=running'));
  const taken = async () =>
    Number(
      /Drain of queue \S+ Running ([\d,]+) of 27,000 items/.exec(await running())?.[1]?.replace(',', ''),
    );
  await expect.poll(taken, { timeout: 20_000, interval: 500 }).toBeGreaterThan(0);
  const before = await taken();
  await expect.poll(taken, { timeout: 20_000, interval: 500 }).toBeGreaterThan(before);
}
