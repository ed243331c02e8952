import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ruleTable } from '../../member-proxy/authorization/rule-table.ts';
import { type ProxyOptions, startProxy, startRecorder, type TestProxy } from './servers.ts';
import { tokenFor } from './tokens.ts';

const secret = 'clust%er+pass&word';
let member: Awaited<ReturnType<typeof startRecorder>>;
let proxy: TestProxy;
let token: string;

beforeEach(async () => {
  member = await startRecorder((_req, res) => res.end('{"status":"success"}'));
  await open('svc');
});
afterEach(async () => {
  await proxy.close();
  await member.close();
});

const state = '/svc/rest/management/cluster/changeState';
const pause = '/svc/rest/wan/pausePublisher';
const addWan = '/svc/rest/wan/addWanConfig';

test.each([
  ['both empty', '&&frozen', 'ops%20team&clust%25er%2Bpass%26word&frozen'],
  ['the name empty', '&mine&frozen', 'ops%20team&mine&frozen'],
  ['the password empty', 'dev&&frozen', 'dev&clust%25er%2Bpass%26word&frozen'],
  ['none empty', 'dev&mine&frozen', 'dev&mine&frozen'],
  ['others kept byte for byte', '&mine&%46rozen+%c3%a9é', 'ops%20team&mine&%46rozen+%c3%a9é'],
])('credential fields are filled where they are empty: %s (S68)', async (_name, sent, received) => {
  expect((await post(state, sent)).status).toBe(200);
  expect(member.seen[0]!.body.toString()).toBe(received);
  expect(member.seen[0]!.headers['content-length']).toBe(String(Buffer.byteLength(received)));
});

test('the real engine decodes the first two fields twice, so they are encoded twice for it (S68)', async () => {
  await proxy.close();
  await open('hazelcast');
  await post(state, '&&frozen');
  const [name, password] = member.seen[0]!.body.toString().split('&');
  expect([name, password].map((part) => decodeURIComponent(decodeURIComponent(part!)))).toEqual([
    'ops team',
    secret,
  ]);
});

const twoFields = ruleTable.filter(({ positionalFields }) => positionalFields?.length === 2);

test.each(twoFields.map(({ template }) => template.replaceAll(/\{[^}]+\}/g, '7')))(
  'a POST without a body is 400 and reaches no member, empty fields are filled in (S98): %s (B5)',
  async (path) => {
    for (const type of ['text/plain', 'application/json']) {
      for (const body of [undefined, '', 'dev']) {
        const reply = await post(path, body, type);
        const problem = (await reply.json()) as { code: string; detail: string };
        expect([reply.status, problem.code]).toEqual([400, 'invalid_request']);
        expect(problem.detail).toContain('may be empty: &');
      }
    }
    expect(member.seen).toEqual([]);
    expect((await post(path, '&')).status).toBe(200);
    expect(member.seen[0]!.body.toString()).toBe('ops%20team&clust%25er%2Bpass%26word');
  },
);

test('a JSON object says by itself that credentials are left to the settings (B5)', async () => {
  await post('/svc/rest/management/cluster/clusterShutdown', ' {}', 'application/json');
  expect(member.seen[0]!.body.toString()).toBe('ops%20team&clust%25er%2Bpass%26word');
});

test.each([
  ['a management call', state, '&&frozen', 'ops%20team&clust%25er%2Bpass%26word&frozen'],
  ['a WAN call', pause, 'dev&mine&wan&target', 'dev&mine&wan&target'],
  ['a configuration that is JSON', addWan, 'dev&mine&{"name":"w"}', 'dev&mine&{"name":"w"}'],
])(
  'a positional body that is called application/json is taken as members take them: %s (D10)',
  async (_name, path, sent, received) => {
    expect((await post(path, sent, 'application/json; charset=utf-8')).status).toBe(200);
    expect(member.seen[0]!.body.toString()).toBe(received);
  },
);

test.each([
  ['a WAN configuration', addWan, 'dev&mine&{"name":"a&b&c"}', 'dev&mine&{"name":"a&b&c"}'],
  ['a publisher', pause, '&mine&wan&target&more', 'ops%20team&mine&wan&target&more'],
  ['a password', '/svc/rest/log-level/reset', 'dev&a&b', 'dev&a&b'],
])('further & belong to the last position: %s (D10)', async (_name, path, sent, received) => {
  expect((await post(path, sent)).status).toBe(200);
  expect(member.seen[0]!.body.toString()).toBe(received);
});

test.each([
  ['no body', state, undefined],
  ['too few', state, 'dev&'],
  ['one', state, 'frozen'],
  ['one too few for four', pause, '&&wan'],
  ['none for four', pause, ''],
])('%s is 400, names the positional fields, and reaches no member (S68)', async (_name, path, body) => {
  const reply = await post(path, body);
  const problem = (await reply.json()) as { code: string; detail: string; decision_id: string };
  expect([reply.status, problem.code]).toEqual([400, 'invalid_request']);
  expect(problem.detail).toContain(path === state ? 'clusterName&password&state' : 'wanRepName&publisherId');
  expect(problem.decision_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(member.seen).toEqual([]);
});

test('a JSON object with the names of the specification becomes a positional body', async () => {
  const json = { wanRepName: 'my wan', publisherId: 'a&b', clusterPassword: 'mine' };
  expect((await post(pause, JSON.stringify(json), 'application/json; charset=utf-8')).status).toBe(200);
  expect(member.seen[0]!.body.toString()).toBe('ops%20team&mine&my%20wan&a%26b');
});

test.each([
  [
    'a management call',
    state,
    { clusterOnSource: 'dev', clusterPassword: 'mine', state: 'frozen' },
    'frozen',
  ],
  ['a WAN call', pause, { clusterName: 'dev', password: 'mine', wanRepName: 'w', publisherId: 'p' }, 'w&p'],
])(
  'flaw: of the two names that the specification has for the credentials, %s knew one',
  async (_name, path, json, rest) => {
    expect((await post(path, JSON.stringify(json), 'application/json')).status).toBe(200);
    expect(member.seen[0]!.body.toString()).toBe(`dev&mine&${rest}`);
  },
);

test('a credential under both of its names is 400 (S68)', async () => {
  const json = { clusterName: 'dev', clusterOnSource: 'other', state: 'frozen' };
  const reply = await post(state, JSON.stringify(json), 'application/json');
  expect([reply.status, ((await reply.json()) as { detail: string }).detail]).toEqual([
    400,
    'The JSON body has the field clusterName under two names',
  ]);
  expect(member.seen).toEqual([]);
});

test('a WAN configuration may stand in it as an object', async () => {
  const wanConfig = { name: 'wan', batchPublishers: [{ clusterName: 'b' }] };
  await post('/svc/rest/wan/addWanConfig', JSON.stringify({ wanConfig }), 'application/json');
  const [, , sent] = member.seen[0]!.body.toString().split('&');
  expect(JSON.parse(decodeURIComponent(sent!))).toEqual(wanConfig);
});

test.each([
  ['no object', '["&&frozen"]', /JSON object/],
  ['no JSON', '{state:frozen}', /JSON object/],
  ['an unknown field', '{"state":"frozen","Password":"hunter22"}', /clusterName, password, state/],
  ['a missing field', '{"password":"hunter22"}', /lacks the text field state/],
  ['a number', '{"state":5}', /lacks the text field state/],
])('a JSON body with %s is 400 without a value of it (S68)', async (_name, body, message) => {
  const reply = await post(state, body, 'application/json');
  const text = await reply.text();
  expect(reply.status).toBe(400);
  expect(JSON.parse(text).detail).toMatch(message);
  expect(text).not.toContain('hunter22');
  expect(member.seen).toEqual([]);
});

test('the credentials are in no answer, record or log, whatever the member does (S68)', async () => {
  const replies = [await post(state, '&&frozen'), await post(state, '&')];
  await member.close();
  replies.push(await post(state, '&&frozen'));
  const said = await Promise.all(
    replies.map(async (reply) => JSON.stringify([...reply.headers]) + (await reply.text())),
  );
  const reported = JSON.stringify([said, proxy.records, proxy.logged]);
  expect(reported).not.toMatch(/clust%(?:25)?er|ops(?: |%20)team/);
});

describe('flaw: a member refused what the settings have, and only the caller was told, who had sent nothing', () => {
  const names =
    /CONSOLE_MEMBER_USERNAME and CONSOLE_MEMBER_PASSWORD, or its entry in CONSOLE_MEMBER_CREDENTIALS/;
  const unauthenticated = '{"status":"fail","message":"unauthenticated"}';
  let warnings: string[];
  let nowMs: number;

  async function rejecting(body: string): Promise<void> {
    await Promise.all([proxy.close(), member.close()]);
    member = await startRecorder((_req, res) =>
      res.writeHead(403, { 'Content-Length': body.length }).end(body),
    );
    warnings = [];
    nowMs = 0;
    await open('svc', {
      now: () => nowMs,
      log: {
        warn: (fields, message) => warnings.push(`${JSON.stringify(fields)} ${message}`),
        error: (_fields, message) => warnings.push(message),
      },
    });
  }

  test('the log names the settings and the member, and no value (S68)', async () => {
    await rejecting(unauthenticated);
    const reply = await post(state, '&&frozen');
    expect([reply.status, await reply.text()]).toEqual([403, unauthenticated]);
    expect(warnings).toEqual([expect.stringMatching(names)]);
    expect(warnings[0]).toContain(new URL(member.address).host);
    expect(warnings[0]).not.toMatch(/clust%|ops team|ops%20team/);
  });

  test('a call to all members says it too', async () => {
    await rejecting(unauthenticated);
    expect((await post(`${pause}?members=all`, '&&wan&target')).status).toBe(207);
    expect(warnings).toEqual([expect.stringMatching(names)]);
  });

  test('once a minute, however many callers hear it', async () => {
    await rejecting(unauthenticated);
    for (nowMs of [1_000, 2_000, 60_999]) await post(state, '&&frozen');
    expect(warnings).toHaveLength(1);
    nowMs = 61_000;
    await post(state, '&&frozen');
    expect(warnings).toHaveLength(2);
  });

  test.each([
    ['credentials of the caller', 'dev&mine&frozen', unauthenticated],
    ['a group that is off', '&&frozen', ''],
  ])('nothing is said of %s', async (_name, sent, body) => {
    await rejecting(body);
    expect((await post(state, sent)).status).toBe(403);
    expect(warnings).toEqual([]);
  });
});

test('a map value is never taken for a positional body', async () => {
  await post('/svc/rest/maps/m/k', '&&value', 'application/json');
  expect(member.seen[0]!.body.toString()).toBe('&&value');
});

async function open(prefix: 'svc' | 'hazelcast', more: ProxyOptions = {}): Promise<void> {
  const credentials = { username: 'ops team', password: secret };
  proxy = await startProxy({ members: [member.address], prefix, credentials, ...more });
  token = await tokenFor(proxy.key, 'Admin');
}

function post(path: string, body?: string, type = 'text/plain'): Promise<Response> {
  return fetch(proxy.address + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    ...(body !== undefined && { body }),
  });
}
