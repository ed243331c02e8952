/** `/`: where a sign-in ends, for each role, with the member up and away. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi, personWith, startWithAdmin } from '../helpers/management.ts';
import { freePort } from '../helpers/ports.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
});
afterAll(() => console?.stop());

test('shows an administrator what is wrong, who was refused and what was changed', async () => {
  await callApi(console, 'POST', '/clients', { id: 'refused-one', scopes: ['svc:health:read'] });
  const token = await machineToken(console, 'app:MetricsViewer');
  await fetch(`${console.url}/svc/rest/maps/orders/1`, { headers: { Authorization: `Bearer ${token}` } });
  const isDenied = ({ event, outcome }: Record<string, unknown>) =>
    event === 'member.call' && outcome === 'denied';
  await console.waitFor(() => console.log().some(isDenied), 'the refusal');
  const page = await ada.get('/');
  expect(titleOf(page)).toBe('Overview');
  const text = textOf(page);
  expect(text).toContain('Needs attention (');
  expect(text).toContain('CONSOLE_ENCRYPTION_KEY is unset');
  expect(text).toMatch(/Takes calls Data member/);
  expect(text).toMatch(/Latest refusals .*application-client/);
  expect(text).toMatch(/Latest changes .*Client added, refused-one/);
});

test('says of latest changes what a job is, in words that lead to it, and no id', async () => {
  for (const id of ['job-a', 'job-b']) await callApi(console, 'POST', '/users', { id, roles: [] });
  const bulk = { operation: 'disableUser', ids: ['job-a', 'job-b'] };
  const { id } = (await callApi(console, 'POST', '/jobs/bulk-acts', bulk)) as { id: string };
  const link = new RegExp(
    `<a href="/observe/audit/[^"]*" title="bulk_act.[a-z]*"><bdi>Bulk action [a-z]*</bdi></a>: <a href="/observe/jobs/${id}"><bdi>Disable users</bdi></a>`,
  );
  await until(async () => link.test((await ada.get('/')).body), 'the change', 10_000);
  const [changes] = /<section class="part" id="changes".*?<\/section>/s.exec((await ada.get('/')).body)!;
  expect(changes.replaceAll(/href="[^"]*"/g, '')).not.toContain(id);
  const german = await ada.get('/', { 'accept-language': 'de' });
  expect(german.body).toContain(`<a href="/observe/jobs/${id}"><bdi>Benutzer deaktivieren</bdi></a>`);
  // In the audit log the id of a job leads to it, too.
  expect((await ada.get('/observe/audit?event=bulk_act.*')).body).toContain(`href="/observe/jobs/${id}"`);
});

test.each(['15min', '1h', '24h', 'nonsense', '%00', 'x'.repeat(1000)])(
  'takes the period %j',
  async (period) => {
    const page = await ada.get(`/?period=${period}`);
    expect([page.status, titleOf(page)]).toEqual([200, 'Overview']);
  },
);

describe('by role', () => {
  const parts = ['Needs attention', 'Traffic', 'Members', 'Latest refusals', 'Latest changes'];
  test.each([
    { role: 'Viewer', shown: ['Needs attention', 'Traffic', 'Members'] },
    { role: 'MetricsViewer', shown: ['Traffic', 'Members'] },
  ])('shows a $role $shown and nothing else', async ({ role, shown }) => {
    const page = await (await personWith(console, `the-${role.toLowerCase()}`, [role])).get('/');
    const heads = [...page.body.matchAll(/<h2[^>]*>([^<(]*)/g)].map(([, head]) => head!.trim());
    expect(heads.filter((head) => parts.includes(head))).toEqual(shown);
    expect(page.body).not.toContain('refused-one');
  });

  test('shows who has no role the own account, without the column of pages', async () => {
    const agent = await personWith(console, 'nobody', []);
    for (const path of ['/', '/account']) {
      const page = await agent.get(path);
      expect([page.status, titleOf(page)]).toEqual([200, 'Your account']);
      expect(page.body).not.toContain('aria-label="Pages"');
    }
    expect((await agent.get('/access')).status).toBe(403);
  });

  test('shows the own account of others in the frame, so that the way back is there', async () => {
    const page = await ada.get('/account');
    expect(titleOf(page)).toBe('Your account');
    expect(page.body).toContain('href="/access/users"');
  });
});

test('says that the cluster is away, and shows the rest', async () => {
  const port = await freePort();
  const other = await startConsole({ env: { CONSOLE_MEMBERS: `http://127.0.0.1:${port}` } });
  try {
    const agent = createUserAgent(other.url);
    await agent.signIn();
    const page = await agent.get('/');
    expect(titleOf(page)).toBe('Overview');
    expect(textOf(page)).toContain('No member takes calls');
    expect(textOf(page)).toContain(`127.0.0.1:${port}`);
  } finally {
    await other.stop();
  }
});
