/** `/observe/health` and `/observe/jobs`, by the front door. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manyUsers } from '../bulk/support.ts';
import { apiToken, type RunningConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personWith,
  sendForm,
  startWithAdmin,
} from '../helpers/management.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
let viewer: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  viewer = await personWith(console, 'viewer', ['Viewer']);
});
afterAll(() => console?.stop());

/** @returns its id */
async function importUsers(content: string): Promise<string> {
  const headers = {
    Authorization: `Bearer ${await apiToken(console)}`,
    'Content-Type': 'application/octet-stream',
  };
  const url = `${console.url}/api/v1/imports?of=users&format=csv`;
  const response = await fetch(url, { method: 'POST', headers, body: content });
  return ((await response.json()) as { id: string }).id;
}

describe('the health check', () => {
  test('shows what is wrong before what is fine, each with what puts it right', async () => {
    const page = await ada.get('/observe/health');
    expect(titleOf(page)).toBe('Health check');
    expect(textOf(page)).toMatch(
      /Needs attention \(\d+\) .*CONSOLE_ENCRYPTION_KEY is unset.* Fine \(\d+\) .*Member 127/,
    );
    expect(textOf(page)).toContain(
      'Set CONSOLE_ENCRYPTION_KEY="$(openssl rand -base64 32)", keep it elsewhere, restart',
    );
  });

  test('is run again by a button, also by a Viewer, and shows the drained member with the link to it', async () => {
    const { items } = (await callApi(console, 'GET', '/members')) as { items: { id: string }[] };
    const { id } = items[0]!;
    for (const agent of [ada, viewer]) {
      const page = await agent.get('/observe/health');
      const reply = await agent.post('/observe/health', { csrf: hiddenIn(page, 'csrf')! });
      expect([reply.status, reply.headers.location]).toEqual([303, '/observe/health']);
    }
    expect(textOf(await viewer.get('/observe/health'))).toContain(`Member ${id} It takes calls.`);
  });

  test('is a file for whoever helps', async () => {
    const report = await viewer.get('/observe/health/report');
    expect(report.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(report.headers['content-disposition']).toMatch(
      /^attachment; filename="health-\d{4}-\d\d-\d\d\.txt"$/,
    );
    expect(report.body).toMatch(/^Health check of \S+: warning\n\n.*ok +store: [\d.]+ [MGT]iB are left\.\n/s);
  });

  test.each(foreignForms)('is not run by a form $name', async ({ fields, headers }) => {
    const page = await ada.get('/observe/health');
    const reply = await ada.post('/observe/health', { csrf: hiddenIn(page, 'csrf')!, ...fields }, headers);
    expect(reply.status).toBe(403);
  });
});

describe('jobs', () => {
  test('are listed, shown with their progress, and stopped, also the one that waits', async () => {
    const running = await importUsers(manyUsers(100_000, 'many-'));
    const waiting = await importUsers(manyUsers(10, 'few-'));
    const shown = async (id: string) => textOf(await ada.get(`/observe/jobs/${id}`));
    await until(async () => / of \d+|\d+ lines/.test(await shown(running)), 'progress', 30_000);
    expect(titleOf(await ada.get('/observe/jobs'))).toBe('Jobs');
    await expect.poll(async () => (await ada.get('/access/users')).body).toContain('>One job runs</a>');
    const queued = await ada.get('/observe/jobs?state=queued');
    expect(queued.body).toContain(`href="/observe/jobs/${waiting}"`);
    expect(queued.body).not.toContain(`href="/observe/jobs/${running}"`);
    // The one that waits would run, and be over, as soon as the other has stopped.
    for (const id of [waiting, running]) {
      const asks = await ada.get(`/observe/jobs/${id}?do=stop`);
      expect(titleOf(asks)).toBe('Stop: Import of users');
      const stopped = await ada.follow(await sendForm(ada, asks, 'stop'));
      expect(textOf(stopped)).toContain('It stops as soon as the current step is done.');
    }
    for (const id of [running, waiting]) {
      await until(async () => (await shown(id)).includes('State Stopped'), 'its end', 30_000);
    }
    const over = await ada.get(`/observe/jobs/${running}`);
    expect(over.body).not.toContain('?do=stop');
    const late = await ada.get(`/observe/jobs/${running}?do=stop`);
    const again = await sendForm(ada, late, 'stop');
    expect([again.status, textOf(again).includes('This job is over.')]).toEqual([400, true]);
  }, 60_000);

  test('show what they have done, and what is wrong with one that failed', async () => {
    const id = await importUsers('username,email\n"<b>ä😀,x\n');
    const shown = async () => textOf(await ada.get(`/observe/jobs/${id}`));
    await until(async () => /State (?:Failed|Done)/.test(await shown()), 'its end', 30_000);
    expect((await ada.get(`/observe/jobs/${id}`)).body).not.toContain('<b>');
    await callApi(console, 'POST', '/health/run');
    const what = /Import of users failed (?:now|\d+ sec ago) ?\. Line 2/;
    for (const [path, words] of [
      ['/observe/health', new RegExp(`${what.source}.* Start it again\\. Open the job`)],
      // A line each: how it is put right stands on the health check.
      ['/', new RegExp(`${what.source}[^.]*\\. Nothing was written\\. Open the job`)],
    ] as const) {
      const page = await ada.get(path);
      expect(textOf(page)).toMatch(words);
      expect(page.body).toContain(`href="/observe/jobs/${id}"`);
      expect(textOf(page)).not.toContain(id);
      expect(
        page.body.replace(/<p class="muted"><code>npx console doctor<\/code>.*?<\/p>/, ''),
      ).not.toContain('npx console');
    }
    const report = (await viewer.get('/observe/health/report')).body;
    expect(report).toContain(`npx console job show ${id}`);
    expect(report).toMatch(/A job \(import-users\) failed at \S+Z: Line 2/);
    const backup = (await callApi(console, 'POST', '/backups')) as { id: string };
    const text = async () => textOf(await ada.get(`/observe/jobs/${backup.id}`));
    await until(async () => /Result backup \S+.* State Done/.test(await text()), 'the backup', 30_000);
    expect((await ada.get('/observe/jobs?kind=backup')).body).toContain(`href="/observe/jobs/${backup.id}"`);
  });

  test.each(['nothing', `job_${'0'.repeat(32)}`, '%00', 'x'.repeat(1_000)])(
    'of the id %j there is none',
    async (id) => {
      expect((await ada.get(`/observe/jobs/${id}`)).status).toBe(404);
    },
  );

  test.each(foreignForms)('are not stopped by a form $name', async ({ fields, headers }) => {
    const page = await ada.get('/observe/health');
    const form = { csrf: hiddenIn(page, 'csrf')!, do: 'stop', ...fields };
    const reply = await ada.post(`/observe/jobs/job_${'0'.repeat(32)}`, form, headers);
    expect(reply.status).toBe(403);
  });
});

test.each([
  { path: '/observe/health', viewer: 200, metrics: 403 },
  { path: '/observe/health/report', viewer: 200, metrics: 403 },
  { path: '/observe/jobs', viewer: 200, metrics: 403 },
  { path: `/observe/jobs/job_${'0'.repeat(32)}`, viewer: 404, metrics: 403 },
])('$path is for whoever may run its operation', async ({ path, ...expected }) => {
  const metrics = await personWith(console, `m${path.replace(/\W/g, '').slice(-8)}`, ['MetricsViewer']);
  expect((await viewer.get(path)).status).toBe(expected.viewer);
  expect((await metrics.get(path)).status).toBe(expected.metrics);
  const reply = await createUserAgent(console.url).get(path);
  expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
});
