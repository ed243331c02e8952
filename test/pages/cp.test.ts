/** `/cluster/cp` in a browser without script, on an embedded member that is all of the CP subsystem. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi, foreignForms, hiddenIn, personWith, sendForm } from '../helpers/management.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

const href = '/cluster/cp';
let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  console = await startConsole({ env: { MEMBER_CONFIG: writeMemberConfig() } });
  ada = createUserAgent(console.url);
  await ada.signIn();
}, 30_000);
afterAll(() => console?.stop());

async function groups(): Promise<readonly string[]> {
  const { groups: all } = (await callApi(console, 'GET', '/cp')) as { groups: { id: string }[] };
  return all.map(({ id }) => id);
}

test('shows members and groups, and the sessions of one', async () => {
  const page = await ada.get(href);
  expect([titleOf(page), textOf(page).includes('Available')]).toEqual(['CP subsystem', true]);
  expect(page.body).toContain(`href="${href}?group=default"`);
  expect(textOf(await ada.get(`${href}?group=default`))).toContain('The group has no session now.');
  expect((await ada.get(`${href}?group=nobody`)).status).toBe(404);
});

test('removes a group by its name typed, and not without it', async () => {
  const question = await ada.get(`${href}?do=remove-group&id=default`);
  const wrong = await sendForm(ada, question, 'remove-group', { id: 'default', typed_name: 'x' });
  expect([wrong.status, (await groups()).includes('default')]).toEqual([400, true]);
  const done = await sendForm(ada, question, 'remove-group', { id: 'default', typed_name: 'default' });
  expect(textOf(await ada.follow(done))).toContain('The CP group is removed.');
  expect(await groups()).not.toContain('default');
});

test('starts anew with a reason that the audit has, and without one too', async () => {
  const question = await ada.get(`${href}?do=reset`);
  expect(textOf(question)).toContain('Reason optional');
  const short = await sendForm(ada, question, 'reset', { typed_name: 'reset', reason: 'x' });
  expect([short.status, (await groups()).includes('default')]).toEqual([400, false]);
  const asked = await sendForm(ada, question, 'reset', { reason: 'no majority', show: 'ways' });
  expect(textOf(asked)).toContain("npx console cp reset --reason 'no majority'");
  const done = await sendForm(ada, question, 'reset', { typed_name: 'reset', reason: 'no majority' });
  expect(done.status).toBe(303);
  expect(await groups()).toContain('default');
  expect((await sendForm(ada, question, 'reset', { typed_name: 'reset' })).status).toBe(303);
  const said = () =>
    console
      .log()
      .filter(({ audit, event, outcome }) => audit && event === 'cp.reset' && outcome === 'success');
  await console.waitFor(() => said().length === 2, 'both entries');
  expect(said().map(({ reason }) => reason)).toEqual(['no majority', undefined]);
});

test('makes a member of the cluster a CP member by its name typed, and offers none that is one', async () => {
  expect((await ada.get(href)).body).not.toContain('?do=promote');
  // Members of two clusters: which of them is asked for the CP members changes nothing.
  const second = await startConsole({ env: { MEMBER_CONFIG: writeMemberConfig() } });
  const own = async (one: RunningConsole) =>
    ((await callApi(one, 'GET', '/members')) as { items: { address: string }[] }).items[0]!.address;
  const addresses = await Promise.all([own(console), own(second)]);
  const both = await startConsole({ env: { CONSOLE_MEMBERS: addresses.join(',') } });
  try {
    const agent = createUserAgent(both.url);
    await agent.signIn();
    const page = await agent.get(href);
    const offered = [...page.body.matchAll(/\?do=promote&(?:amp;)?id=([^"]+)"/g)].map(([, id]) =>
      decodeURIComponent(id!),
    );
    expect(offered).toHaveLength(1);
    expect(addresses.map((address) => new URL(address).host)).toContain(offered[0]);
    const id = offered[0]!;
    const question = await agent.get(`${href}?do=promote&id=${encodeURIComponent(id)}`);
    const wrong = await sendForm(agent, question, 'promote', { id, typed_name: 'x' });
    expect(wrong.status).toBe(400);
    const done = await sendForm(agent, question, 'promote', { id, typed_name: id });
    expect(textOf(await agent.follow(done))).toContain('The member is a CP member now.');
    const said = () => both.log().filter(({ audit, event }) => audit && event === 'cp.member_promoted');
    await both.waitFor(() => said().length === 1, 'its entry');
    expect(said()).toMatchObject([{ outcome: 'success', target: id }]);
  } finally {
    await Promise.all([both.stop(), second.stop()]);
  }
}, 60_000);

test.each(['nobody', '<script>alert(1)</script>', '٥🚀', 'x'.repeat(1000)])(
  'removes nothing that is named %.20j',
  async (id) => {
    const before = await groups();
    for (const name of ['promote', 'remove-member', 'remove-group']) {
      const question = await ada.get(`${href}?do=${name}&id=${encodeURIComponent(id)}`);
      expect(question.body).not.toContain('<script>alert');
      const reply = await ada.post(href, { csrf: hiddenIn(question, 'csrf')!, do: name, id, typed_name: id });
      expect([400, 404]).toContain(reply.status);
    }
    expect(await groups()).toEqual(before);
  },
);

test('is for those who may', async () => {
  const viewer = await personWith(console, 'viewer', ['Viewer']);
  const page = await viewer.get(href);
  expect([page.status, page.body.includes('?do=')]).toEqual([200, false]);
  // No column is there for acts that this reader has not.
  expect(textOf(page)).not.toContain('What is done to it');
  const csrf = hiddenIn(page, 'csrf')!;
  expect((await viewer.get(`${href}?do=reset`)).status).toBe(403);
  expect((await viewer.get(`${href}?do=promote&id=10.0.0.1:5701`)).status).toBe(403);
  expect((await viewer.post(href, { csrf, do: 'reset', typed_name: 'reset' })).status).toBe(403);
  const metrics = await personWith(console, 'metrics', ['MetricsViewer']);
  expect((await metrics.get(href)).status).toBe(403);
  const nobody = await createUserAgent(console.url).get(href);
  expect([nobody.status, nobody.headers.location]).toEqual([303, '/login']);
});

test.each(foreignForms)('is not changed by a form $name (S31)', async ({ fields, headers }) => {
  const before = await groups();
  const csrf = hiddenIn(await ada.get(href), 'csrf')!;
  const sent = { csrf, do: 'reset', typed_name: 'reset', ...fields };
  expect((await ada.post(href, sent, headers)).status).toBe(403);
  expect(await groups()).toEqual(before);
});
