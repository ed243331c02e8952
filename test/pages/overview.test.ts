/** `/`: where a sign-in ends, for each role, with the member up and away. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi, hiddenIn, personWith, sendForm, startWithAdmin } from '../helpers/management.ts';
import { freePort } from '../helpers/ports.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';
import { openStream } from './live-support.ts';

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
    { role: 'Viewer', shown: parts, namesCallers: true },
    { role: 'MetricsViewer', shown: ['Traffic', 'Members'], namesCallers: false },
  ])('shows a $role $shown and nothing else', async ({ role, shown, namesCallers }) => {
    const page = await (await personWith(console, `the-${role.toLowerCase()}`, [role])).get('/');
    const heads = [...page.body.matchAll(/<h2[^>]*>([^<(]*)/g)].map(([, head]) => head!.trim());
    expect(heads.filter((head) => parts.includes(head))).toEqual(shown);
    expect(page.body.includes('application-client')).toBe(namesCallers);
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

test('says of a page that is closed what is missing and who can give it, in German too', async () => {
  const agent = await personWith(console, 'looks-at-members', ['MetricsViewer']);
  const page = await agent.get('/access/users');
  expect([page.status, titleOf(page)]).toEqual([403, 'Problem: Your roles do not open this']);
  expect(textOf(page)).toContain(
    'This needs the role Admin, or one with the permission api:users:read. An administrator can give you what is missing.',
  );
  const german = await agent.get('/access/users', { 'accept-language': 'de' });
  expect(titleOf(german)).toBe('Problem: Ihre Rollen öffnen das nicht');
  expect(textOf(german)).toContain(
    'Dafür brauchen Sie die Rolle Admin oder eine mit der Berechtigung api:users:read. Ein Administrator kann Ihnen geben, was fehlt.',
  );
  const program = await agent.get('/access/users', { accept: 'application/json' });
  expect(JSON.parse(program.body)).toMatchObject({ title: 'The access token does not open this' });
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

test('drains a sick member by a button in its row, with Undo, for who may drain one', async () => {
  const { items } = (await callApi(console, 'GET', '/members')) as {
    items: { id: string; address: string }[];
  };
  const { id: well, address } = items[0]!;
  const sick = `127.0.0.1:${await freePort()}`;
  const other = await startConsole({ env: { CONSOLE_MEMBERS: `${address},http://${sick}` } });
  const href = (id: string) => `/cluster/members/${encodeURIComponent(id)}`;
  const button = `form="drain" formaction="${href(sick)}"`;
  try {
    const agent = createUserAgent(other.url);
    await agent.signIn();
    await until(async () => (await agent.get('/')).body.includes(button), 'the button', 10_000);
    const page = await agent.get('/');
    expect(page.body).toContain(`aria-label="Drain: ${sick}"`);
    expect(page.body).not.toContain(`formaction="${href(well)}"`);
    // What goes on has the button too, and nothing that is of one reader.
    const stream = await openStream(other.url, agent, '/');
    const { data } = await stream.until((event) => JSON.stringify(event.data).includes('formaction='));
    stream.leave();
    expect(JSON.stringify(data)).not.toContain('csrf');
    const viewer = await (await personWith(other, 'looks-on', ['Viewer'])).get('/');
    expect(viewer.body).toContain(`<bdi>${sick}</bdi>`);
    expect(viewer.body).not.toContain('form="drain"');
    expect(viewer.body).not.toContain('id="drain"');

    const [form] = /<form id="drain".*?<\/form>/s.exec(page.body)!;
    const fields = { csrf: hiddenIn({ ...page, body: form }, 'csrf')!, do: 'drain' };
    expect(form).toContain('name="do" value="drain"');
    const drained = await agent.follow(await agent.post(href(sick), fields));
    expect(textOf(drained)).toContain('Drained: it gets no calls any more');
    expect((await agent.get('/')).body).not.toContain(button);
    const undone = await agent.follow(await sendForm(agent, drained, 'undrain'));
    expect(textOf(undone)).toContain('It gets calls again.');
    expect((await agent.get('/')).body).toContain(button);
  } finally {
    await other.stop();
  }
});
