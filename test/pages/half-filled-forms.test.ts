/** Forms that say something by halves: what is wrong stands on top under the label of its field, in the order of the form, and beside it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningConsole } from '../helpers/console.ts';
import { callApi, sendForm, startWithAdmin } from '../helpers/management.ts';
import { createUserAgent, type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
});
afterAll(() => console?.stop());

async function add(kind: 'roles' | 'clients', fields: Record<string, string>, agent = ada): Promise<Reply> {
  const form = await agent.get(`/access/${kind}?do=new`);
  return sendForm(agent, form, 'new', fields);
}

/** The list on top: where each leads to, and what it says. */
function listedIn({ body }: Reply): readonly string[] {
  const [, list = ''] = /role="alert">.*?<ul>(.*?)<\/ul>/s.exec(body) ?? [];
  return [...list.matchAll(/<a href="([^"]*)">(.*?)<\/a>/gs)].map(([, href, text]) => `${href} ${text}`);
}

const half = [
  {
    title: 'maps without what may be done with them',
    fields: { maps: 'orders, stock-*' },
    said: ['#maps Maps: Choose what is allowed with orders and stock-*.'],
  },
  {
    title: 'what may be done with maps, without one',
    fields: { 'map:write': 'on' },
    said: ['#maps Maps: Name the maps that this is for, or clear the boxes beside it.'],
  },
  {
    title: 'a queue without what may be done with it, beside a map that is whole',
    fields: { maps: 'orders', 'map:read': 'on', queues: 'jobs' },
    said: ['#queues Queues: Choose what is allowed with jobs.'],
  },
  {
    title: 'what may be done with queues, without one',
    fields: { maps: ' , ', 'queue:poll': 'on' },
    said: ['#queues Queues: Name the queues that this is for, or clear the boxes beside it.'],
  },
];

describe.each(['roles', 'clients'] as const)('of %s', (kind) => {
  test.each(half)('$title: nothing is left out without a word', async ({ fields, said }) => {
    const reply = await add(kind, { id: 'half', ...fields });
    expect([reply.status, listedIn(reply)]).toEqual([400, said]);
    const [, field] = /^#(\S+)/.exec(said[0]!)!;
    expect(reply.body).toContain(`id="${field}-error"`);
    for (const [name, value] of Object.entries(fields))
      expect(reply.body).toMatch(
        new RegExp(
          value === 'on'
            ? ` name="${name}"[^>]* checked`
            : ` name="${name}"[^>]* value="${value.replace('*', '\\*')}`,
        ),
      );
    await expect(callApi(console, 'GET', `/${kind}/half`)).rejects.toThrow(/^404 /);
  });
});

test('a role that opens nothing says so at its access, not at its scopes', async () => {
  const reply = await add('roles', { id: 'Nothing' });
  expect([reply.status, listedIn(reply)]).toEqual([
    400,
    ['#access Access: Choose something that it may do.'],
  ]);
  expect(reply.body).toMatch(/<fieldset class="choices" id="access">/);
});

test('a role is not narrowed by half of what was typed', async () => {
  await callApi(console, 'POST', '/roles', { id: 'Whole', permissions: ['svc:map:orders:read'] });
  const page = await ada.get('/access/roles/Whole');
  const reply = await sendForm(ada, page, 'save', { maps: 'orders' });
  expect(listedIn(reply)).toEqual(['#maps Maps: Choose what is allowed with orders.']);
  expect(await callApi(console, 'GET', '/roles/Whole')).toMatchObject({
    permissions: ['svc:map:orders:read'],
  });
});

test('each sentence on top names its field, in the order of the form and in the language of the page', async () => {
  const fields = { id: 'not an id', maps: 'orders', 'map:read': 'on', tokenTtlSeconds: '5' };
  const english = listedIn(await add('clients', fields));
  expect(english).toEqual([
    expect.stringMatching(/^#id Client ID: It has 1 to 64 letters/),
    '#tokenTtlSeconds Lifetime of its access tokens: It is at least 60.',
  ]);
  const german = createUserAgent(console.url, { headers: { 'accept-language': 'de' } });
  await german.signIn();
  const reply = await add('clients', fields, german);
  expect(listedIn(reply).map((said) => said.split(':')[0])).toEqual([
    '#id Client-ID',
    '#tokenTtlSeconds Lebensdauer seiner Access Token',
  ]);
  expect(textOf(reply)).not.toContain('It is at least');
});
