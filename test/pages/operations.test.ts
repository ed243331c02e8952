/** `/cluster/operations` in a browser without script, on an embedded member with every endpoint group. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadMemberConfig } from '../../member/config/load.ts';
import { type Member, startMember } from '../../member/member.ts';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi, foreignForms, hiddenIn, personWith, sendForm } from '../helpers/management.ts';
import { createUserAgent, textOf, titleOf, type UserAgent } from '../helpers/user-agent.ts';

const href = '/cluster/operations';
let console: RunningConsole;
let ada: UserAgent;
/** Typed before what hits everybody. */
const word = 'cluster';

beforeAll(async () => {
  console = await startConsole({ env: { MEMBER_CONFIG: writeMemberConfig() } });
  ada = createUserAgent(console.url);
  await ada.signIn();
}, 30_000);
afterAll(() => console?.stop());

async function cluster() {
  return (await callApi(console, 'GET', '/operations')) as { clusterState: string };
}

test('a start after a failed recovery is no less grave for backups that are in sync', async () => {
  for (const name of ['partial-start', 'force-start']) {
    const said = textOf(await ada.get(`/cluster/operations?do=${name}`));
    expect(said).toContain('Careful: this is for a recovery that has failed. The cluster is: Active.');
    expect(said).not.toContain('Fine:');
  }
});

test('show state, version and safety of the cluster, and what can be done to it', async () => {
  const page = await ada.get(href);
  expect(titleOf(page)).toBe('Operations');
  expect(textOf(page)).toMatch(/Active .*Version \d+\.\d+ Members 1 Backups in sync Yes Migration queue 0/);
  for (const name of ['state', 'reload', 'force-start', 'shut-down']) {
    expect(page.body).toContain(`href="${href}?do=${name}"`);
  }
  const begun = await ada.follow(await sendForm(ada, page, 'backup'));
  expect(textOf(begun)).toContain('The members have accepted the backup.');
});

test('change the state by the word typed, and not without it', async () => {
  const question = await ada.get(`${href}?do=state`);
  expect(textOf(question)).toContain('Fine: backups are in sync.');
  const refused = await sendForm(ada, question, 'state', { state: 'frozen', typed_name: 'another' });
  expect([refused.status, (await cluster()).clusterState]).toEqual([400, 'active']);
  const done = await sendForm(ada, question, 'state', { state: 'frozen', typed_name: word });
  expect(textOf(await ada.follow(done))).toMatch(/Frozen .*The state of the cluster is changed\./);
  const odd = await sendForm(ada, question, 'state', { state: 'molten', typed_name: word });
  expect([odd.status, (await cluster()).clusterState]).toEqual([400, 'frozen']);
  await ada.follow(await sendForm(ada, question, 'state', { state: 'active', typed_name: word }));
  const entries = console.log().filter(({ event }) => event === 'cluster.state_changed');
  // Without the name nothing was asked of the cluster.
  expect(entries.map(({ outcome, via }) => [outcome, via])).toEqual([
    ['success', 'page'],
    ['denied', 'page'],
    ['success', 'page'],
  ]);
  expect((await cluster()).clusterState).toBe('active');
});

test('show the licence of the members, and give them another one', async () => {
  expect(textOf(await ada.get(href))).toContain('Licence of the members None, as in a community edition');
  const key = `Some Company#12Nodes#${'k'.repeat(40)}`;
  const question = await ada.get(`${href}?do=licence`);
  expect(question.body).toMatch(/<input[^>]*name="key"[^>]*type="password"/);
  const odd = await sendForm(ada, question, 'licence', { key: 'no-key-of-mine', typed_name: word });
  expect([odd.status, odd.body.includes('no-key-of-mine')]).toEqual([400, false]);
  expect(textOf(odd)).toContain('does not take this key');
  const done = await ada.follow(await sendForm(ada, question, 'licence', { key, typed_name: word }));
  expect(textOf(done)).toContain('The members have the new licence.');
  expect(textOf(done)).toContain('Licence of the members for 12 members, its end is not told');
});

test('ask for the name of the installation, whichever of its members answers', async () => {
  const members = await Promise.all([0, 1].map(() => startOwnMember()));
  const other = await startConsole({
    env: { CONSOLE_MEMBERS: members.map(({ address }) => address).join(',') },
  });
  try {
    const admin = createUserAgent(other.url);
    await admin.signIn();
    await callApi(other, 'PATCH', '/installation/branding', { name: 'Prod-EU' });
    for (let each = 0; each < 4; each++)
      expect(textOf(await admin.get(`${href}?do=state`))).toContain('Type Prod-EU to go on');
    const done = await sendForm(admin, await admin.get(`${href}?do=state`), 'state', {
      state: 'frozen',
      typed_name: 'Prod-EU',
    });
    expect(done.headers.location).toBe(`${href}?done=state`);
  } finally {
    await other.stop();
    for (const member of members) await member.close();
  }
}, 30_000);

function startOwnMember(): Promise<Member> {
  const yaml =
    'svc: { network: { rest-api: { enabled: true, endpoint-groups: { CLUSTER_WRITE: { enabled: true } } } } }';
  return startMember({ config: loadMemberConfig(yaml, { file: 'member.yaml' }), host: '127.0.0.1', port: 0 });
}

test.each(['99.9', '', '<script>alert(1)</script>', 'x'.repeat(1000), '٥.٥', '🚀'])(
  'leave the version as it is when asked for %.20j',
  async (version) => {
    const question = await ada.get(`${href}?do=version&to=${encodeURIComponent(version)}`);
    expect(question.body).not.toContain('<script>alert');
    const refused = await sendForm(ada, question, 'version', { to: version, typed_name: word });
    expect([refused.status, titleOf(refused)]).toEqual([400, 'Problem: Raise version']);
  },
);

test('reload the configuration of the members', async () => {
  const done = await ada.follow(await sendForm(ada, await ada.get(`${href}?do=reload`), 'reload'));
  expect(textOf(done)).toContain('The members have read their configuration anew.');
});

test('add to the configuration of the members: what would change is shown first, and sent once it is confirmed', async () => {
  const form = await ada.get(href);
  const config = 'svc:\n  map:\n    paged:\n      time-to-live-seconds: 60\n    <b>: {}\n';
  const question = await sendForm(ada, form, 'preview', { config });
  expect([question.status, titleOf(question)]).toEqual([200, 'Add to configuration']);
  expect(textOf(question)).toMatch(/map paged Is new, and would be added\. .*\+ time-to-live-seconds: 60/s);
  expect(question.body).toContain('map &lt;b>');
  const unsaid = await sendForm(ada, question, 'config', { config, typed_name: 'another' });
  expect([unsaid.status, unsaid.body.includes('time-to-live-seconds')]).toEqual([400, true]);
  const small = config.replace('    <b>: {}\n', '');
  const fields = { config: small, typed_name: word, reason: 'shorter lives' };
  const done = await ada.follow(await sendForm(ada, question, 'config', fields));
  expect(textOf(done)).toContain('One section was added. 0 were there already, and stay as they were.');
  const said = console.log().filter(({ event }) => event === 'cluster.config_updated');
  expect(said).toEqual([
    expect.objectContaining({ outcome: 'success', reason: 'shorter lives', via: 'page' }),
  ]);
  const again = await sendForm(ada, form, 'preview', { config: small.replace('60', '90') });
  expect(textOf(again)).toMatch(
    /map paged Is there, and stays as it is.*- time-to-live-seconds: 60.*\+ time-to-live-seconds: 90/s,
  );
  expect(textOf(again)).toContain('nothing of it is new to them');
  const german = await ada.post(
    href,
    { csrf: hiddenIn(form, 'csrf')!, do: 'preview', config: '<a/>' },
    { 'Accept-Language': 'de' },
  );
  expect(textOf(german)).toContain('Die Konsole kann es nicht als YAML lesen');
});

describe('who may', () => {
  test('a Viewer sees them and does none; a MetricsViewer sees none', async () => {
    const viewer = await personWith(console, 'viewer', ['Viewer']);
    const page = await viewer.get(href);
    expect([page.status, page.body.includes('?do=')]).toEqual([200, false]);
    const csrf = hiddenIn(page, 'csrf')!;
    for (const name of ['state', 'version', 'reload', 'backup', 'force-start', 'shut-down']) {
      expect([name, (await viewer.get(`${href}?do=${name}`)).status]).toEqual([name, 403]);
      const fields = { csrf, do: name, typed_name: word, state: 'passive', to: '5.5' };
      expect([name, (await viewer.post(href, fields)).status]).toEqual([name, 403]);
    }
    const metrics = await personWith(console, 'metrics', ['MetricsViewer']);
    expect((await metrics.get(href)).status).toBe(403);
    expect((await cluster()).clusterState).toBe('active');
  });

  test('nobody without a session', async () => {
    const reply = await createUserAgent(console.url).get(href);
    expect([reply.status, reply.headers.location]).toEqual([303, '/login']);
  });

  test.each(foreignForms)('nobody by a form $name (S31)', async ({ fields, headers }) => {
    const csrf = hiddenIn(await ada.get(href), 'csrf')!;
    const sent = { csrf, do: 'state', state: 'passive', typed_name: word, ...fields };
    expect((await ada.post(href, sent, headers)).status).toBe(403);
    expect((await cluster()).clusterState).toBe('active');
  });
});

test('shut the cluster down last, after which the page still says how it is', async () => {
  const question = await ada.get(`${href}?do=shut-down`);
  expect(textOf(question)).toContain('Every member ends (1 now)');
  expect((await sendForm(ada, question, 'shut-down', { typed_name: '' })).status).toBe(400);
  const done = await ada.follow(await sendForm(ada, question, 'shut-down', { typed_name: word }));
  expect([done.status, textOf(done).includes('The members have said that they shut down.')]).toEqual([
    200,
    true,
  ]);
});
