import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { expectJson, managedFile, unauthenticated } from './management-support.ts';
import { empty, eventually, startTestMember } from './support.ts';

const path = '/svc/rest/log-level';

/** A member that logs into `lines`, by way of a log that others write to as well. */
async function startLogging(more = '', level = 'warn') {
  const lines: Record<string, unknown>[] = [];
  const shared = pino({ level, base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  const member = await startTestMember(managedFile(more), { log: shared });
  const set = (text: string) => member.call('POST', path, { body: `dev&&${text}` });
  const shown = async () => JSON.parse((await member.call('GET', path)).body).logLevel;
  return { ...member, shared, lines, set, shown };
}

describe('log level', () => {
  test('is null until it is set, changes the running log, and goes back', async () => {
    const { call, lines, shared, set, shown } = await startLogging();
    expect(await shown()).toBe(null);
    await call('GET', '/svc/rest/maps/secret-map/secret-key');
    expect(lines).toEqual([]);

    expectJson(await set('fine'), { status: 'success', message: 'log level is changed' });
    expect(await shown()).toBe('FINE');
    await call('GET', '/svc/rest/maps/secret-map/secret-key');
    const [line] = await eventually(
      async () => lines.filter(({ endpoint }) => endpoint === 'rest/maps/{map}/{key...}'),
      (found) => found.length > 0,
    );
    expect(line).toMatchObject({ msg: 'call answered', method: 'GET', status: 204 });
    expect(JSON.stringify(lines)).not.toContain('secret-');

    expectJson(await call('POST', `${path}/reset`, { body: 'dev&' }), {
      status: 'success',
      message: 'log level is reset',
    });
    expect(await shown()).toBe(null);
    const count = lines.length;
    await call('GET', '/svc/rest/maps/m/k');
    await call('GET', '/svc/health/ready');
    expect(lines.filter(({ endpoint }) => endpoint === 'rest/maps/{map}/{key...}')).toHaveLength(1);
    expect(lines.length - count).toBeLessThanOrEqual(1); // the reset itself may still be told
    expect(shared.level).toBe('warn');
  });

  test('flaw: a refused operation stood in the log without its endpoint', async () => {
    const { lines, set } = await startLogging();
    await set('no such level');
    expect(lines).toEqual([expect.objectContaining({ method: 'POST', endpoint: 'rest/log-level' })]);
  });

  test.each([
    [
      'a group that is off',
      'POST',
      '/svc/rest/management/cluster/backup',
      403,
      /endpoint-groups\.PERSISTENCE\.enabled: true/,
    ],
    ['an unknown path of one', 'GET', '/svc/rest/wan/x', 403, /endpoint-groups\.WAN\.enabled: true/],
    ['no configured map', 'GET', '/svc/rest/maps/other/secret-key', 400, /no map of the configuration/],
    ['no configured queue', 'DELETE', '/svc/rest/queues/other/0', 400, /no queue of the configuration/],
    ['too long a poll', 'DELETE', '/svc/rest/queues/mine/99999', 400, /limits\.poll-seconds/],
  ])('flaw: %s was an empty error that no log explained', async (_name, method, url, status, reason) => {
    const { call, lines } = await startLogging('map: { mine: {} }\nqueue: { mine: {} }\n');
    for (let i = 0; i < 3; i += 1) expect(await call(method, url)).toMatchObject(empty(status));
    expect(lines).toEqual([
      expect.objectContaining({ msg: 'call refused', method, reason: expect.stringMatching(reason) }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret-');
  });

  test('a proxy that looks which groups are on leaves no line', async () => {
    const { call, lines } = await startLogging();
    expect(await call('HEAD', '/svc/rest/wan/sync/map')).toMatchObject(empty(403));
    expect(lines).toEqual([]);
  });

  test('OFF silences what is refused, too', async () => {
    const { lines, set } = await startLogging();
    await set('no such level');
    expect(lines).toEqual([expect.objectContaining({ msg: 'call refused', reason: expect.any(String) })]);
    await set('off');
    await set('no such level');
    expect(lines).toHaveLength(1);
  });

  test.each([
    ['severe', 'SEVERE'],
    ['WARNING', 'WARNING'],
    ['Info', 'INFO'],
    ['CONFIG', 'CONFIG'],
    ['fine', 'FINE'],
    ['FINER', 'FINER'],
    ['finest', 'FINEST'],
    ['off', 'OFF'],
    ['all', 'ALL'],
    ['800', 'INFO'],
    ['850', '850'],
    ['-5', '-5'],
  ])('%s is %s', async (text, name) => {
    const { set, shown } = await startLogging();
    expectJson(await set(text), { status: 'success', message: 'log level is changed' });
    expect(await shown()).toBe(name);
  });

  test.each(['debug', 'warn', '', ' fine', 'FINE,', '1e3', '99999999999', 'x'.repeat(5000), 'constructor'])(
    '%j is no level: 500, and nothing changes',
    async (text) => {
      const { set, shown, lines } = await startLogging();
      await set('SEVERE');
      expect(await set(text)).toMatchObject(empty(500));
      expect(await shown()).toBe('SEVERE');
      expect(lines).toEqual([]);
    },
  );

  test('DELETE resets as the specification has it, and HEAD is bare', async () => {
    const { call, set, shown } = await startLogging();
    await set('FINEST');
    expect(await call('HEAD', path)).toMatchObject(empty(200));
    expectJson(await call('DELETE', path), { status: 'success', message: 'log level is reset' });
    expect(await shown()).toBe(null);
  });

  test('with security on a DELETE needs a user of the realm as well', async () => {
    const { call, shown } = await startLogging(
      'security:\n  enabled: true\n  member-authentication: { realm: m }\n' +
        '  realms: [{ name: m, authentication: { simple: { users: [{ username: ada, password: pw }] } } }]',
    );
    expectJson(await call('POST', path, { body: 'ada&pw&FINE' }), {
      status: 'success',
      message: 'log level is changed',
    });
    expect(await call('DELETE', path)).toMatchObject(empty(400));
    expect(await call('DELETE', path, { body: 'ada&wrong' })).toMatchObject(unauthenticated);
    expect(await shown()).toBe('FINE');
    expect(await call('DELETE', path, { body: 'ada&pw' })).toMatchObject({ status: 200 });
    expect(await shown()).toBe(null);
  });

  test('a log whose level cannot change is 500, and reset is well', async () => {
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const { call } = await startTestMember(managedFile(), { log });
    expect(await call('POST', path, { body: 'dev&&FINE' })).toMatchObject(empty(500));
    expect(await call('GET', path)).toMatchObject({ body: '{"logLevel":null}' });
    expect(await call('POST', `${path}/reset`, { body: 'dev&' })).toMatchObject({ status: 200 });
  });
});
