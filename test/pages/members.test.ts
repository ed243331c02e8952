/** `/cluster/members` in a browser without script, on two members of the console's own making. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import {
  callApi,
  foreignForms,
  hiddenIn,
  personWith,
  sendForm,
  startWithAdmin,
} from '../helpers/management.ts';
import { freePort } from '../helpers/ports.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
let member: string;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  const { items } = (await callApi(console, 'GET', '/members')) as { items: { id: string }[] };
  member = items[0]!.id;
});
afterAll(() => console?.stop());

const pageOf = (id: string) => `/cluster/members/${encodeURIComponent(id)}`;

test('are listed with their state, and each has a page', async () => {
  const list = await ada.get('/cluster/members');
  expect(list.body).toContain(`href="${pageOf(member)}"`);
  expect(textOf(list)).toMatch(/Takes calls Data member, \d/);
  const page = await ada.get(pageOf(member));
  expect(titleOf(page)).toBe(member);
  expect(textOf(page)).toMatch(/CLUSTER_READ On/);
  expect(textOf(page)).toContain('Circuit Closed: it gets its share of calls.');
  expect(textOf(page)).toContain('Errors of the last minute');
});

test('are found by their UUID too', async () => {
  const { items } = (await callApi(console, 'GET', '/members')) as { items: { uuid: string }[] };
  expect(titleOf(await ada.get(pageOf(items[0]!.uuid)))).toBe(member);
});

test('are not drained where no other takes calls, and the page says so', async () => {
  const refused = await sendForm(ada, await ada.get(pageOf(member)), 'drain');
  expect([refused.status, titleOf(refused)]).toEqual([400, `Problem: ${member}`]);
  expect(textOf(refused)).toContain('is the only member that takes calls');
  expect(textOf(await ada.get(pageOf(member)))).toContain('Takes calls');
});

test('say which log level they cannot be given, and nothing changes', async () => {
  const page = await ada.get(pageOf(member));
  const refused = await sendForm(ada, page, 'log-level', { level: 'LOUD' });
  expect([refused.status, titleOf(refused)]).toEqual([400, `Problem: ${member}`]);
});

test('are shut down after a question that says what that means, by their name typed', async () => {
  const question = await ada.get(`${pageOf(member)}?do=shut-down`);
  expect(textOf(question)).toContain('No other member takes calls');
  const refused = await sendForm(ada, question, 'shut-down', { typed_name: 'another' });
  expect([refused.status, textOf(refused).includes('Nothing was done.')]).toEqual([400, true]);
  expect(textOf(await ada.get(pageOf(member)))).toContain('Takes calls');
});

describe('who may', () => {
  test('a Viewer sees them and changes none; a MetricsViewer sees them too, and what they change is not there', async () => {
    const viewer = await personWith(console, 'viewer', ['Viewer']);
    const page = await viewer.get(pageOf(member));
    expect(page.status).toBe(200);
    expect(page.body).not.toContain('value="drain"');
    expect((await viewer.get(`${pageOf(member)}?do=shut-down`)).status).toBe(403);
    const csrf = hiddenIn(page, 'csrf')!;
    for (const name of ['drain', 'undrain', 'log-level', 'shut-down']) {
      const reply = await viewer.post(pageOf(member), { csrf, do: name, typed_name: member, level: 'FINE' });
      expect([name, reply.status]).toEqual([name, 403]);
    }
    const metrics = await personWith(console, 'metrics', ['MetricsViewer']);
    expect((await metrics.get('/cluster/members')).status).toBe(200);
    expect((await metrics.get('/cluster/members')).body).not.toContain('value="drain"');
    const own = hiddenIn(await metrics.get(pageOf(member)), 'csrf')!;
    expect((await metrics.post(pageOf(member), { csrf: own, do: 'drain' })).status).toBe(403);
    const nobody = await personWith(console, 'without-a-role', []);
    for (const path of ['/cluster/members', pageOf(member)])
      expect([path, (await nobody.get(path)).status]).toEqual([path, 403]);
  });

  test('nobody without a session', async () => {
    for (const path of ['/cluster', '/cluster/members', pageOf(member)]) {
      const reply = await createUserAgent(console.url).get(path);
      expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
    }
  });

  test.each(foreignForms)('nobody by a form $name (S31)', async ({ fields, headers }) => {
    const csrf = hiddenIn(await ada.get(pageOf(member)), 'csrf')!;
    const reply = await ada.post(pageOf(member), { csrf, do: 'drain', ...fields }, headers);
    expect(reply.status).toBe(403);
    expect(textOf(await ada.get(pageOf(member)))).toContain('Takes calls');
  });
});

test.each(['nobody', '10.0.0.1:1', '%00', '<script>', 'x'.repeat(1000)])(
  'answers the name %j with a clear page',
  async (id) => {
    const reply = await ada.get(id.startsWith('%') ? `/cluster/members/${id}` : pageOf(id));
    expect([400, 404]).toContain(reply.status);
    expect(titleOf(reply)).toMatch(/^Problem/);
    expect(reply.body).not.toContain('<script>alert');
  },
);

test('are drained beside another one, and take calls again by the message that says so', async () => {
  const second = await startConsole();
  const own = async (one: RunningConsole) => {
    const { items } = (await callApi(one, 'GET', '/members')) as { items: { address: string }[] };
    return items[0]!.address;
  };
  const addresses = await Promise.all([own(console), own(second)]);
  const other = await startConsole({ env: { CONSOLE_MEMBERS: addresses.join(',') } });
  try {
    const agent = createUserAgent(other.url);
    await agent.signIn();
    const [id] = addresses.map((address) => new URL(address).host);
    const drained = await agent.follow(await sendForm(agent, await agent.get(pageOf(id!)), 'drain'));
    expect(textOf(drained)).toContain('Drained: it gets no calls any more');
    expect(textOf(await agent.get('/'))).toContain('Drained');
    const undone = await agent.follow(await sendForm(agent, drained, 'undrain'));
    expect(textOf(undone)).toContain('It gets calls again.');
    expect(textOf(undone)).toContain('Takes calls');
  } finally {
    await Promise.all([other.stop(), second.stop()]);
  }
});

test('are shut down with a reason that the audit has', async () => {
  const other = await startConsole({ env: { MEMBER_CONFIG: writeMemberConfig() } });
  try {
    const agent = createUserAgent(other.url);
    await agent.signIn();
    const [{ id }] = ((await callApi(other, 'GET', '/members')) as { items: [{ id: string }] }).items;
    const question = await agent.get(`${pageOf(id)}?do=shut-down`);
    const fields = { typed_name: id, reason: 'new memory' };
    const asked = await sendForm(agent, question, 'shut-down', { ...fields, show: 'ways' });
    expect(textOf(asked)).toContain(`npx console member shutdown ${id} --reason 'new memory'`);
    expect((await sendForm(agent, question, 'shut-down', fields)).status).toBe(303);
    const said = () => other.log().filter(({ audit, event }) => audit && event === 'member.shut_down');
    await other.waitFor(() => said().length === 1, 'its entry');
    expect(said()).toMatchObject([{ outcome: 'success', target: id, reason: 'new memory', via: 'page' }]);
  } finally {
    await other.stop();
  }
});

test('says of a member that is away that it gets no calls, and why', async () => {
  const port = await freePort();
  const other = await startConsole({ env: { CONSOLE_MEMBERS: `http://127.0.0.1:${port}` } });
  try {
    const agent = createUserAgent(other.url);
    await agent.signIn();
    const page = await agent.get(pageOf(`127.0.0.1:${port}`));
    expect(page.status).toBe(200);
    expect(textOf(page)).toMatch(/Gets no calls|Not asked yet/);
    expect(textOf(page)).toContain('The member does not say which it has now.');
    const english = `nobody listens at 127.0.0.1:${port} (ECONNREFUSED)`;
    await until(async () => textOf(await agent.get(pageOf(`127.0.0.1:${port}`))).includes(english), 'why');
    for (const path of ['/', '/observe/health', pageOf(`127.0.0.1:${port}`)]) {
      expect(textOf(await agent.get(path))).toContain(`It gets no calls: ${english}.`);
    }
    // Nobody can know what is on at a member that has said nothing.
    expect(textOf(await agent.get(pageOf(`127.0.0.1:${port}`)))).toContain('CLUSTER_READ Unknown');
    expect(textOf(await agent.get('/cluster/members'))).not.toContain('None');
    const german = `an 127.0.0.1:${port} antwortet niemand (ECONNREFUSED)`;
    for (const path of ['/', '/observe/health', pageOf(`127.0.0.1:${port}`)]) {
      expect(textOf(await agent.get(path, { 'Accept-Language': 'de' }))).toContain(german);
    }
  } finally {
    await other.stop();
  }
});
