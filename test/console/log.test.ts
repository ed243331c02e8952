import { expect, test } from 'vitest';
import { createAudit, createLogger, type LogOptions } from '../../platform/log.ts';

const formats = ['json', 'pretty'] as const;

function collect(format: LogOptions['format'], level: LogOptions['level'] = 'info') {
  const lines: string[] = [];
  const log = createLogger({ level, format, destination: { write: (line) => lines.push(line) } });
  const parsed = (): Record<string, unknown>[] => lines.map((line) => JSON.parse(line));
  return { log, text: () => lines.join(''), parsed, count: () => lines.length };
}

test('a line is one JSON object with UTC time, level, fields and a message', () => {
  const { log, parsed, text } = collect('json');
  log.info({ requestId: 'r1', durationMs: 3 }, 'served');
  expect(text()).toMatch(/^\{.*\}\n$/);
  expect(parsed()).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requestId: 'r1',
      durationMs: 3,
      msg: 'served',
    },
  ]);
});

test('lines below the level are not written', () => {
  const { log, count } = collect('json', 'warn');
  log.info('unseen');
  log.warn('seen');
  expect(count()).toBe(1);
});

const credentialFields = [
  'authorization',
  'Authorization',
  'cookie',
  'set-cookie',
  'password',
  'newPassword',
  'secret',
  'client_secret',
  'clientSecret',
  'token',
  'access_token',
  'refreshToken',
  'id_token_hint',
  'code',
  'code_verifier',
  'device_code',
  'assertion',
  'client_assertion',
  'SAMLResponse',
  'RelayState',
  'privateJwk',
  'query',
  'body',
];

test.each(credentialFields)('the field %s is redacted, at any depth and in child loggers (S85)', (field) => {
  for (const format of formats) {
    const { log, text } = collect(format);
    log.info({ [field]: 'tell-no-one' }, 'flat');
    log.info({ request: { headers: [{ [field]: ['tell-no-one'] }] } }, 'deep');
    log.child({ [field]: 'tell-no-one' }).info('child');
    log
      .child({ a: 1 })
      .child({ [field]: 'tell-no-one' })
      .info('grandchild');
    expect(text()).not.toContain('tell-no-one');
    expect(text().match(/\[redacted\]/g)).toHaveLength(4);
  }
});

test.each([
  { name: 'a request target', fields: { url: '/oauth2/authorize?code=tell-no-one' } },
  { name: 'a path with a fragment', fields: { path: '/x#tell-no-one' } },
  {
    name: 'an address in any field',
    fields: { note: 'see https://a.example/cb?code=tell-no-one&x=1 there' },
  },
  { name: 'the password in an address', fields: { database: 'postgres://console:tell-no-one@db/console' } },
  {
    name: 'a token in text',
    fields: { note: 'got eyJhbGciOiJub25lIn0.eyJ0ZWxsLW5vLW9uZSI6MX0.tell-no-one' },
  },
])('$name is cut out (S85)', ({ fields }) => {
  for (const format of formats) {
    const { log, text } = collect(format);
    log.info(fields, 'request');
    log.info(Object.values(fields)[0]?.replace(/^\//, 'http://a/') ?? '');
    log.error(new Error(Object.values(fields)[0]?.replace(/^\//, 'http://a/')));
    expect(text()).not.toContain('tell-no-one');
    expect(text()).not.toContain('eyJ0ZWxs');
    expect(text()).toContain('request');
  }
});

const steering = [
  '\r\n{"level":"info","msg":"forged"}',
  '\u001b[2J',
  '\u0000',
  '\u009b31m',
  '\u2028',
  '\u202e',
  '\u007f',
];

test.each(steering)('%j is escaped in values, names, messages and errors (S85)', (text) => {
  for (const format of formats) {
    const { log, text: written } = collect(format);
    log.info({ user: `a${text}b`, nested: { [`k${text}`]: [text] } }, `message ${text}`);
    log.child({ binding: text }).info('child');
    log.error({ err: new Error(`bad ${text}`, { cause: text }) }, 'failed');
    log.error(new Error(`bad ${text}`));
    expect(written()).toContain('\\u');
    expect(written()).not.toMatch(/(?!\n)[\p{Cc}\u2028\u202e]/u);
    expect(written()).not.toMatch(/^\{"level":"info","msg"/m);
    if (format === 'json') for (const line of written().trimEnd().split('\n')) JSON.parse(line);
  }
});

test('an error is logged with its stack and cause, without its other members (S85)', () => {
  const { log, parsed } = collect('json');
  const cause = Object.assign(new TypeError('inner'), {
    code: 'ECONNREFUSED',
    request: { auth: 'tell-no-one' },
  });
  log.error({ err: new Error('outer', { cause }) }, 'failed');
  expect(parsed()[0]?.err).toEqual({
    type: 'Error',
    message: 'outer',
    stack: expect.stringMatching(/^Error: outer\n {4}at .*log\.test\.ts/),
    cause: {
      type: 'TypeError',
      message: 'inner',
      code: 'ECONNREFUSED',
      stack: expect.stringContaining('inner'),
    },
  });
});

test('odd values do no harm: loops, depth, bytes, a prototype as a field', () => {
  const { log, parsed } = collect('json');
  const loop: Record<string, unknown> = { bytes: Buffer.alloc(9) };
  loop.self = loop;
  log.info(loop, 'loop');
  log.info(JSON.parse('{"__proto__":{"level":"forged"},"a":1}'), 'prototype');
  expect(parsed()[0]).toMatchObject({ bytes: '[9 bytes]', msg: 'loop' });
  expect(parsed()[1]).toMatchObject({ level: 'info', a: 1 });
});

test('an audit line names event, actor, source, outcome and request, in one line (S84)', () => {
  const { log, parsed } = collect('json');
  createAudit(log)('login', {
    actor: 'user-1',
    source: '192.0.2.1',
    outcome: 'denied',
    requestId: 'r1',
    reason: 'throttled',
  });
  expect(parsed()).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/Z$/),
      audit: true,
      event: 'login',
      actor: 'user-1',
      source: '192.0.2.1',
      outcome: 'denied',
      requestId: 'r1',
      reason: 'throttled',
      msg: 'audit',
    },
  ]);
});

test('audit lines are written at every level but silent (S84)', () => {
  const strict = collect('json', 'fatal');
  createAudit(strict.log)('logout', { outcome: 'success' });
  expect(strict.count()).toBe(1);
  const silent = collect('json', 'silent');
  createAudit(silent.log)('logout', { outcome: 'success' });
  expect(silent.count()).toBe(0);
});

test.each([
  { name: 'credentials', fields: { clientSecret: 'tell-no-one', deep: { headers: [{ cookie: ['x'] }] } } },
  { name: 'addresses', fields: { path: '/oauth2/authorize?code=1#2', redirectUri: 'https://a.example/?x' } },
  { name: 'an address in text', fields: { note: 'see postgres://me:secret@db/x and https://a/?code=1' } },
  { name: 'a token in text', fields: { reason: 'got eyJhbGciOiJub25lIn0.eyJ0ZWxsIjoxfQ.x' } },
  { name: 'quotes and backslashes', fields: { user: 'a"b\\c', 'na"me': '\\' } },
  { name: 'what steers a terminal', fields: { user: steering.join('x'), [steering.join('y')]: 1 } },
  { name: 'letters beyond ASCII', fields: { user: 'Zoë 🦊 \ud800' } },
  {
    name: 'numbers and the like',
    fields: { a: 1, b: Number.NaN, c: -0.5, d: true, e: null, f: undefined, g: () => 1, h: [1, null, 'x'] },
  },
  { name: 'errors and bytes', fields: { err: new Error('bad\u001b', { cause: 1 }), bytes: Buffer.alloc(9) } },
  { name: 'times', fields: { at: new Date(0) } },
])('an audit line says $name as every other line does (S84, S85)', ({ fields }) => {
  const { log, parsed, count, text } = collect('json');
  const worker = log.child({ worker: 2 });
  createAudit(worker)('login', { outcome: 'denied', ...fields });
  worker.child({ audit: true }).info({ event: 'login', outcome: 'denied', ...fields }, 'audit');
  expect(count()).toBe(2);
  const [own, library] = parsed().map((line) => JSON.stringify({ ...line, time: '' }));
  expect(own).toBe(library);
  expect(text()).not.toMatch(/tell-no-one|(?!\n)[\p{Cc}\u2028\u202e]/u);
});

test('an event goes to the store of the audit too, and there alone when logging is silent (S84, S100)', () => {
  for (const level of ['info', 'silent'] as const) {
    const { log, text } = collect('json', level);
    const stored: unknown[] = [];
    createAudit(log, { record: (...event) => stored.push(event) })('logout', { outcome: 'success', n: 1 });
    expect(stored).toEqual([['logout', { outcome: 'success', n: 1 }]]);
    const line = /^\{"level":"info","time":"[\d-]{10}T[\d:.]{12}Z","audit":true,"event":"logout",.*\}\n$/;
    if (level === 'silent') expect(text()).toBe('');
    else expect(text()).toMatch(line);
  }
});
