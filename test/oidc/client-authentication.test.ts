import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { secretDigest } from '../../console/clients/clients.ts';
import {
  clientSecret,
  type RunningConsole,
  runFailing,
  startConsole,
  usedDataDir,
} from '../helpers/console.ts';
import { basic, machineClient, post as postFrom, registerClients, requestScope } from './support.ts';

const grant = 'grant_type=client_credentials';
const longEnough = (text: string) => text.padEnd(40, '-0123456789abcdefghijklmnopqrstuvwxyz-x');

/** Each from an address of its own: many wrong secrets of one are told slowly (B9). */
const post: typeof postFrom = (to, request) =>
  postFrom(to, { ...request, headers: { 'x-forwarded-for': newAddress(), ...request.headers } });
let addresses = 0;
const newAddress = () => `10.1.${++addresses >> 8}.${addresses & 255}`;

/** Secrets whose two spellings differ, or that a careless reader takes for something else. */
const secrets = [
  longEnough('plain'),
  longEnough('pl+us'),
  longEnough('sl/ash='),
  longEnough('per%cent'),
  longEnough('esc%41pe'),
  longEnough('esc%2Bplus'),
  longEnough('co:lon::'),
  longEnough('a space and  two'),
  longEnough('am&per=sand'),
  longEnough('quote"back\\slash'),
  longEnough('q?+/=%:#&;@'),
];

let dataDir: string;
let console: RunningConsole;

beforeAll(async () => {
  dataDir = await usedDataDir();
  await registerClients(dataDir, [
    ...secrets.map((secret, index) =>
      machineClient(`client-${index}`, { secrets: [{ sha256: secretDigest(secret), createdAt: 0 }] }),
    ),
    machineClient('disabled', { disabled: true }),
    machineClient('without-secret', { secrets: [] }),
    machineClient('moving', {
      secrets: [longEnough('newer'), longEnough('older')].map((secret) => ({
        sha256: secretDigest(secret),
        createdAt: 0,
      })),
    }),
    machineClient('näme with space'),
  ]);
  console = await startConsole({ dataDir, env: { CONSOLE_TRUSTED_PROXIES: '127.0.0.1,::1' } });
});
afterAll(async () => {
  await console.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe.each(secrets.map((secret, index) => ({ id: `client-${index}`, secret })))(
  'the secret $secret',
  ({ id, secret }) => {
    const encoded = new URLSearchParams({ s: secret }).toString().slice(2);
    test.each([
      { name: 'as it stands in Basic', request: { authorization: basic(id, secret) } },
      { name: 'form-encoded in Basic', request: { authorization: basic(id, encoded) } },
      { name: 'percent-encoded in Basic', request: { authorization: basic(id, encodeURIComponent(secret)) } },
      {
        name: 'in the body',
        request: { authorization: undefined, body: `client_id=${id}&client_secret=${encoded}` },
      },
    ])('opens $name', async ({ request }) => {
      const { body = '' } = request as { body?: string };
      const reply = await post(console, { ...request, body: `${grant}&${body}` });
      expect([reply.status, reply.json.error]).toEqual([200, undefined]);
    });

    test('does not open with one character more, less or changed (S8)', async () => {
      for (const wrong of [`${secret}x`, secret.slice(0, -1), `X${secret.slice(1)}`, '', ` ${secret}`]) {
        const reply = await post(console, { authorization: basic(id, wrong), body: grant });
        expect([wrong, reply.status, reply.json.error]).toEqual([wrong, 401, 'invalid_client']);
      }
    });
  },
);

test('a client id beyond ASCII works in both spellings', async () => {
  const id = 'näme with space';
  for (const spelled of [id, encodeURIComponent(id), new URLSearchParams({ id }).toString().slice(3)]) {
    const reply = await requestScope(console, undefined, basic(spelled));
    expect([spelled, reply.status]).toEqual([spelled, 200]);
  }
});

test('both secrets of a client open while its callers move over', async () => {
  for (const secret of [longEnough('newer'), longEnough('older')]) {
    expect((await requestScope(console, undefined, basic('moving', secret))).status).toBe(200);
  }
});

test.each([
  { name: 'an unknown client', authorization: basic('nobody') },
  { name: 'a wrong secret', authorization: basic('application-client', longEnough('wrong')) },
  { name: 'another case of the client id', authorization: basic('Application-Client') },
  { name: 'a disabled client', authorization: basic('disabled') },
  { name: 'a client without any secret', authorization: basic('without-secret', '') },
  { name: 'a public client with a secret', authorization: basic('application-dashboard') },
  { name: 'a public client with an empty secret', authorization: basic('application-dashboard', '') },
  {
    name: 'the stored digest as the secret',
    authorization: basic('application-client', secretDigest(clientSecret)),
  },
  { name: 'an empty pair', authorization: `Basic ${btoa(':')}` },
  { name: 'no colon', authorization: `Basic ${btoa('application-client')}` },
  { name: 'no base64', authorization: 'Basic a:b' },
  { name: 'base64url', authorization: 'Basic a-_b' },
  { name: 'an empty Basic', authorization: 'Basic' },
  { name: 'another scheme', authorization: `Bearer ${clientSecret}` },
  { name: 'nothing at all', authorization: undefined },
  { name: 'the id alone', authorization: undefined, body: 'client_id=application-client' },
  {
    name: 'an empty secret in the body',
    authorization: undefined,
    body: 'client_id=application-client&client_secret=',
  },
  {
    name: 'a wrong secret in the body',
    authorization: undefined,
    body: `client_id=application-client&client_secret=${longEnough('wrong')}`,
  },
  {
    name: 'an assertion',
    authorization: undefined,
    body: 'client_id=application-client&client_assertion=a.b.c&client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  },
])('$name is the same 401 invalid_client (S8)', async ({ authorization, body = '' }) => {
  const reply = await post(console, { authorization, body: `${grant}&${body}` });
  expect(reply.status).toBe(401);
  expect(reply.json).toEqual({ error: 'invalid_client', error_description: 'client authentication failed' });
  expect(reply.headers.get('www-authenticate')).toMatch(/^Basic realm="/);
  expect(reply.headers.get('cache-control')).toBe('no-store');
});

test('an unknown client takes as long as a wrong secret (S8)', async () => {
  const wrong = [basic('nobody', longEnough('w')), basic('application-client', longEnough('w'))];
  const times: number[][] = [[], []];
  for (let round = 0; round < 150; round++) {
    for (const [index, authorization] of wrong.entries()) {
      const start = performance.now();
      await post(console, { authorization, body: grant });
      times[index]!.push(performance.now() - start);
    }
  }
  const [unknown, known] = times.map((each) => each.sort((a, b) => a - b)[75]!);
  expect(Math.abs(unknown! - known!)).toBeLessThan(Math.max(unknown!, known!) * 0.5);
});

test('credentials in the query count for nothing (S8)', async () => {
  const path = `/oauth2/token?client_id=application-client&client_secret=${clientSecret}&${grant}`;
  const alone = await post(console, { path, authorization: undefined, body: grant });
  expect([alone.status, alone.json.error]).toEqual([401, 'invalid_client']);
  const beside = await post(console, { path, body: '' });
  expect([beside.status, beside.json.error_description]).toEqual([400, 'grant_type is missing']);
  expect(console.stderr()).not.toContain(clientSecret);
});

test.each([
  {
    name: 'Basic and a secret in the body',
    body: `client_id=application-client&client_secret=${clientSecret}`,
  },
  { name: 'Basic and a secret alone', body: `client_secret=${clientSecret}` },
  { name: 'Basic and the id of another client', body: 'client_id=application-dashboard' },
])('$name at once is invalid_request (S8)', async ({ body }) => {
  const reply = await post(console, { body: `${grant}&${body}` });
  expect([reply.status, reply.json.error]).toEqual([400, 'invalid_request']);
  expect(reply.text).not.toContain('access_token');
});

test.each([
  { name: 'its own id', body: 'client_id=application-client' },
  { name: 'an empty secret, which counts as left out', body: 'client_secret=' },
])('Basic and $name in the body is one method', async ({ body }) => {
  expect((await post(console, { body: `${grant}&${body}` })).status).toBe(200);
});

test.each([
  { grantType: 'password', error: 'unsupported_grant_type' },
  { grantType: 'implicit', error: 'unsupported_grant_type' },
  { grantType: 'urn:ietf:params:oauth:grant-type:jwt-bearer', error: 'unsupported_grant_type' },
  { grantType: 'Client_Credentials', error: 'unsupported_grant_type' },
  { grantType: 'client_credentials ', error: 'unsupported_grant_type' },
  { grantType: '__proto__', error: 'unsupported_grant_type' },
  { grantType: 'authorization_code', error: 'unauthorized_client' },
  { grantType: 'refresh_token', error: 'unauthorized_client' },
  { grantType: 'urn:ietf:params:oauth:grant-type:device_code', error: 'unauthorized_client' },
  { grantType: '', error: 'invalid_request' },
])('grant type "$grantType" is $error for application-client (S10)', async ({ grantType, error }) => {
  const extra = 'username=ada&password=correct-staple-battery-9&code=x&refresh_token=x';
  const body = `grant_type=${encodeURIComponent(grantType)}&${extra}`;
  const reply = await post(console, { body });
  expect([reply.status, reply.json.error]).toEqual([400, error]);
  expect(reply.text).not.toContain('access_token');
});

test('the dashboard has no client-credentials grant (S10)', async () => {
  const reply = await post(console, {
    authorization: undefined,
    body: `${grant}&client_id=application-dashboard`,
  });
  expect([reply.status, reply.json.error]).toEqual([400, 'unauthorized_client']);
});

test.each([
  { name: 'unset', secret: undefined },
  { name: 'empty', secret: '' },
])('with the secret $name there is no application-client (S6)', async ({ secret }) => {
  const other = await startConsole({ env: { CONSOLE_APPLICATION_CLIENT_SECRET: secret } });
  try {
    for (const authorization of [basic(), basic('application-client', '')]) {
      const reply = await post(other, { authorization, body: grant });
      expect([reply.status, reply.json.error]).toEqual([401, 'invalid_client']);
    }
  } finally {
    await other.stop();
  }
});

test('a short secret works with a loud warning, and is an error in strict mode (S6)', async () => {
  const env = { CONSOLE_APPLICATION_CLIENT_SECRET: 'kP3-short-x9Z' };
  const warning = 'CONSOLE_APPLICATION_CLIENT_SECRET is shorter than 32 characters';
  const lenient = await startConsole({ env });
  try {
    const warned = await lenient.waitFor(
      () => lenient.log().find(({ level, msg }) => level === 'warn' && String(msg).includes(warning)),
      'the warning',
    );
    expect(warned).toBeDefined();
    expect(
      (await requestScope(lenient, undefined, basic('application-client', 'kP3-short-x9Z'))).status,
    ).toBe(200);
  } finally {
    await lenient.stop();
  }
  const strict = await runFailing({ env: { ...env, CONSOLE_STRICT: 'true' } });
  expect(strict.code).toBe(78);
  expect(strict.stderr).toContain(warning);
  expect(strict.stderr + strict.stdout).not.toContain('kP3-short-x9Z');
});

test.each(['secret', 'changeit', 'CHANGE_ME', '<your-secret>', 'my-super-secret', 'x'.repeat(40)])(
  'the sample secret %s is refused at the start (S4)',
  async (secret) => {
    const { code, stdout, stderr } = await runFailing({ env: { CONSOLE_APPLICATION_CLIENT_SECRET: secret } });
    expect([code, stdout]).toEqual([78, '']);
    expect(stderr).toContain('CONSOLE_APPLICATION_CLIENT_SECRET is a sample');
  },
);
