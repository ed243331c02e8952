/** Lists in which nothing stands yet: what they are for, the button that adds one, and what would by command. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningConsole } from '../helpers/console.ts';
import { personWith, startWithAdmin } from '../helpers/management.ts';
import { textOf, type UserAgent } from '../helpers/user-agent.ts';

const open: RunningConsole[] = [];
afterAll(() => Promise.all(open.map((console) => console.stop())));

/** What stands in place of rows. */
function emptyIn(body: string): string {
  return /<div class="empty">(.*?)<\/main>/s.exec(body)?.[1] ?? '';
}

describe('where nobody has added anything', () => {
  let ada: UserAgent;
  let url: string;

  beforeAll(async () => {
    const started = await startWithAdmin({ env: { CONSOLE_APPLICATION_CLIENT_SECRET: undefined } });
    open.push(started.console);
    ({ ada } = started);
    ({ url } = started.console);
  });

  test.each([
    {
      path: '/access/clients',
      says: 'one for each program that calls the cluster',
      adds: 'Add machine client',
    },
    {
      path: '/access/identity-providers',
      says: 'the account that they have at work',
      adds: 'Add identity provider',
    },
    { path: '/access/roles?builtIn=false', says: 'No role of your own yet', adds: 'Add role' },
  ])('$path says what it is for, and has the button', async ({ path, says, adds }) => {
    const { body } = await ada.get(path);
    const empty = emptyIn(body);
    expect(empty).toContain(says);
    const [list] = path.split('?');
    expect(empty).toContain(`<a href="${list}?do=new" class="button">${adds}</a>`);
  });

  test('a filter that finds nothing says so, and adds nothing', async () => {
    const found = textOf(await ada.get('/access/clients?q=nobody'));
    expect(found).toContain('Nothing matches this filter.');
    expect(found).not.toContain('npx console client add');
    expect(textOf(await ada.get('/access/roles?builtIn=false&q=x'))).toContain(
      'Nothing matches this filter.',
    );
  });

  test('sessions of a user whom nobody knows are none, and what was typed stays in its box', async () => {
    const page = await ada.get('/access/sessions?user=nobody');
    expect([page.status, textOf(page)]).toEqual([
      200,
      expect.stringContaining('Nothing matches this filter.'),
    ]);
    expect(page.body).toMatch(/<input[^>]* name="user"[^>]* value="nobody"/);
  });

  test.each([
    ['/access/clients', 'npx console client add billing --scope', '/oauth2/token'],
    ['/cluster/maps', 'npx console map put orders 1001 --value', '/svc/rest/maps/orders/1001'],
    ['/cluster/queues', 'npx console queue offer jobs --value', '/svc/rest/queues/jobs'],
  ])('%s has what makes the first one, as a command and as a call', async (path, command, address) => {
    const empty = emptyIn((await ada.get(path)).body);
    expect(empty).toContain(command);
    expect(empty).toContain(url + address);
  });
});

test('who may only read is offered nothing to add', async () => {
  const { console } = await startWithAdmin();
  open.push(console);
  const viewer = await personWith(console, 'looks-on', ['Viewer']);
  for (const [path, says] of [
    ['/cluster/maps', 'A map holds values by their keys'],
    ['/cluster/queues', 'first in, first out'],
  ] as const) {
    const { body } = await viewer.get(path);
    expect(emptyIn(body)).toContain(says);
    expect(body).not.toContain('npx console');
  }
});
