import { describe, expect, test } from 'vitest';
import { managedFile, stateOf, unauthenticated } from './management-support.ts';
import { connectRaw, empty, startTestMember } from './support.ts';

const management = 'rest/management/cluster';
const key = `Dev#4Nodes#${'a1B2'.repeat(8)}`;
const uuid = '4dbd5b2e-6a2f-4d41-9a0d-1b6a3b0a8a11';

/** Every call with positional values: what it takes, its group, and what it answers when all is right. */
const endpoints = [
  { path: `${management}/state`, body: 'dev&', group: 'CLUSTER_READ', status: 200 },
  { path: `${management}/nodes`, body: 'dev&', group: 'CLUSTER_READ', status: 200 },
  { path: `${management}/changeState`, body: 'dev&&frozen', group: 'CLUSTER_WRITE', status: 200 },
  { path: `${management}/version`, body: 'dev&&5.5', group: 'CLUSTER_WRITE', status: 200 },
  { path: `${management}/memberShutdown`, body: 'dev&', group: 'CLUSTER_WRITE', status: 200 },
  { path: `${management}/clusterShutdown`, body: 'dev&', group: 'CLUSTER_WRITE', status: 200 },
  { path: 'rest/license', body: `dev&&${encodeURIComponent(key)}`, group: 'CLUSTER_WRITE', status: 200 },
  { path: 'rest/log-level', body: 'dev&&fine', group: 'CLUSTER_WRITE', status: 200 },
  { path: 'rest/log-level/reset', body: 'dev&', group: 'CLUSTER_WRITE', status: 200 },
  { path: 'rest/cp-subsystem/members', body: 'dev&', group: 'CP', status: 200 },
  { path: `rest/cp-subsystem/members/${uuid}/remove`, body: 'dev&', group: 'CP', status: 400 },
  { path: 'rest/cp-subsystem/groups/default/remove', body: 'dev&', group: 'CP', status: 200 },
  { path: 'rest/cp-subsystem/groups/default/sessions/9/remove', body: 'dev&', group: 'CP', status: 400 },
  { path: 'rest/cp-subsystem/reset', body: 'dev&', group: 'CP', status: 200 },
  { path: 'rest/cp-subsystem/restart', body: 'dev&', group: 'CP', status: 200 },
];

const cpOn = 'cp-subsystem: { cp-member-count: 1 }';
/** A log with a level to change. */
const log = () => ({ level: 'silent', debug() {}, info() {}, warn() {}, error() {} });
const startManaged = (more = cpOn) => startTestMember(managedFile(more), { log: log() });

describe.each(endpoints)('$path', ({ path, body, group, status }) => {
  test.each([
    { name: 'as the specification has it', method: 'POST', url: `/svc/${path}` },
    {
      name: 'as PUT, the first segment the real engine’s, with a slash',
      method: 'PUT',
      url: `/hazelcast/${path}/`,
    },
    { name: 'with a query', method: 'POST', url: `/svc/${path}?a=b` },
  ])('answers $name', async ({ method, url }) => {
    const { call } = await startManaged();
    expect(await call(method, url, { body })).toMatchObject({ status });
  });

  test('is 403 with an empty body while its group is off (S71)', async () => {
    const groups = ['CLUSTER_READ', 'CLUSTER_WRITE', 'CP'].map((name) => `${name}: { enabled: false }`);
    const off = `svc: { network: { rest-api: { enabled: true, endpoint-groups: { ${groups.join(', ')} } } } }`;
    const { call } = await startTestMember(off);
    expect(await call('POST', `/svc/${path}`, { body })).toMatchObject(empty(403));
    const on = off.replace(`${group}: { enabled: false }`, `${group}: { enabled: true }`);
    const other = await startTestMember(`${on.slice(0, -2)}, ${cpOn} }`, { log: log() });
    expect(await other.call('POST', `/svc/${path}`, { body })).toMatchObject({ status });
  });

  test('refuses what is no right call, and changes nothing', async () => {
    const member = await startManaged(`${cpOn}\nlimits: { body-bytes: 2000 }`);
    const before = await stateOf(member);
    const [, , ...values] = body.split('&');
    const with_ = (...first: string[]) => [...first, ...values].join('&');
    const post = (text: string) => member.call('POST', `/svc/${path}`, { body: text });

    expect(await member.call('POST', `/svc/${path}`), 'no body').toMatchObject(empty(400));
    for (const few of ['', 'dev', body.slice(0, body.lastIndexOf('&')), 'wrong']) {
      expect(await post(few), `too few: ${few}`).toMatchObject(empty(400));
    }
    for (const text of [with_('%zz', ''), with_('dev', '%'), with_('%ff', '')]) {
      expect(await post(text), `bad escape: ${text}`).toMatchObject(empty(500));
    }
    if (values.length > 0) {
      expect(await post('dev&&%zz'), 'bad escape in the argument').toMatchObject(empty(500));
      expect(await post('wrong&&no-such-argument'), 'credentials first').toMatchObject(unauthenticated);
    }
    for (const name of ['wrong', 'DEV', '', 'dev%2520', 'dev+', 'd%25zz', 'd%252565v']) {
      expect(await post(with_(name, 'x')), `name ${name}`).toMatchObject(unauthenticated);
    }
    expect(await post(with_('dev', 'x'.repeat(2000))), 'too long').toMatchObject(empty(413));
    for (const method of ['PATCH', 'OPTIONS', ...(path === 'rest/log-level' ? [] : ['DELETE'])]) {
      expect(await member.call(method, `/svc/${path}`), method).toMatchObject(empty(404));
    }
    expect(await member.call('POST', `/svc/${path}/more`, { body }), 'longer path').toMatchObject(empty(404));
    expect(await member.call('POST', `/svc/${path}x`, { body }), 'another path').not.toMatchObject({
      status,
    });

    const raw = await connectRaw(member.port);
    raw.send(`POST /svc/${path} HTTP/1.1\r\nHost: m\r\nContent-Length: ${body.length + 1}\r\n\r\n${body}`);
    raw.socket.end();
    await raw.closed();
    expect(await stateOf(member)).toEqual(before);
  });

  test('with security on takes a user of the realm, encoded once or twice, and nobody else', async () => {
    const member = await startManaged(
      `${cpOn}\nsecurity:\n  enabled: true\n  member-authentication: { realm: m }\n  realms:\n    - name: m\n` +
        '      authentication:\n        simple: { users: [{ username: "a+da", password: "50%25&" }] }',
    );
    const before = await stateOf(member);
    const [, , ...values] = body.split('&');
    const post = (...first: string[]) =>
      member.call('POST', `/svc/${path}`, { body: [...first, ...values].join('&') });

    const once = [encodeURIComponent('a+da'), encodeURIComponent('50%25&')] as const;
    const twice = [encodeURIComponent(once[0]), encodeURIComponent(once[1])] as const;
    for (const [user, secret] of [
      ['dev', ''],
      ['dev', once[1]],
      [once[0], ''],
      [once[0], 'wrong'],
      [once[0], '50%25%26'], // the password decoded once more than it was encoded
      ['', ''],
      ['', once[1]],
      ['__proto__', ''],
    ] as const) {
      expect(await post(user, secret), `${user}&${secret}`).toMatchObject(unauthenticated);
    }
    expect(await stateOf(member)).toEqual(before);
    const isLast = path.endsWith('Shutdown') || path.endsWith('/remove');
    if (!isLast) expect(await post(...once), 'encoded once').toMatchObject({ status });
    expect(await post(...twice), 'encoded twice').toMatchObject({ status });
  });
});

describe('what a position is', () => {
  test('a cluster name is encoded once, or twice as for the real engine; the password is any', async () => {
    const { call } = await startTestMember(managedFile('cluster-name: "50% + é&"'));
    const state = '/svc/rest/management/cluster/state';
    const once = encodeURIComponent('50% + é&');
    for (const body of [`${once}&`, `${encodeURIComponent(once)}&a&b&%25zz`]) {
      expect(await call('POST', state, { body })).toMatchObject({ status: 200 });
    }
    const thrice = encodeURIComponent(encodeURIComponent(once));
    expect(await call('POST', state, { body: `${thrice}&` })).toMatchObject(unauthenticated);
  });

  test('what is beyond the last position belongs to the last one', async () => {
    const { call } = await startManaged();
    const path = '/svc/rest/management/cluster/changeState';
    expect(await call('POST', path, { body: 'dev&&frozen&more' })).toMatchObject(empty(500));
    expect(await call('POST', path, { body: 'dev&&no%5Fmigration' })).toMatchObject({ status: 200 });
  });

  test('a chunked body is one like any other', async () => {
    const { port } = await startManaged();
    const raw = await connectRaw(port);
    raw.send(
      'POST /svc/rest/management/cluster/state HTTP/1.1\r\nHost: m\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    raw.send('2\r\nde\r\n2\r\nv&\r\n0\r\n\r\n');
    expect(await raw.received((text) => text.includes('active'))).toContain(
      '{"status":"success","state":"active"}',
    );
  });
});
