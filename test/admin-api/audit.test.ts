/** `/api/v1/audit` and `console audit`: what happened is found, followed and exported, and who reads it is in it. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { storedEntries } from '../helpers/audit.ts';
import { toolDone } from '../helpers/commands.ts';
import { apiToken, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

interface EntryView {
  readonly id: string;
  readonly createdAt: string;
  readonly event: string;
  readonly outcome: string;
  readonly actor: { readonly id: string; readonly kind: string } | null;
  readonly object: { readonly id: string } | null;
  readonly tokenId: string | null;
  readonly detail: Readonly<Record<string, unknown>> | null;
}
interface Page {
  readonly items: readonly EntryView[];
  readonly next: string | null;
}

let running: RunningConsole;
let token: string;
let denial: { readonly decision_id: string; readonly request_id: string };
const patient = { timeout: 10_000 };

beforeAll(async () => {
  running = await startConsole();
  token = await apiToken(running);
  const user = await toolDone(['user', 'add', 'vera', '--role', 'Viewer', '--password-file', '-'], {
    dataDir: running.dataDir,
    stdin: 'a-viewers-long-password\n',
  });
  expect(user.code).toBe(0);
  const credentials = { username: 'vera', password: 'a-viewers-long-password' };
  const tokens = await signInForTokens(running, createUserAgent(running.url), {}, credentials);
  const denied = await fetch(`${running.url}/svc/rest/maps/orders/1`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${tokens.access_token}` },
  });
  expect(denied.status).toBe(403);
  denial = (await denied.json()) as typeof denial;
  await vi.waitFor(
    () => expect(JSON.stringify(storedEntries(running.dataDir))).toContain(denial.decision_id),
    patient,
  );
});
afterAll(() => running?.stop());

async function ask(query: string, bearer = token) {
  const response = await fetch(`${running.url}/api/v1/audit${query}`, {
    headers: { Authorization: `Bearer ${bearer}` },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function machineTokenOf(id: string, secret: string): Promise<string> {
  const answer = await fetch(`${running.url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return ((await answer.json()) as { readonly access_token: string }).access_token;
}

async function page(query: string): Promise<Page> {
  const { status, text } = await ask(query);
  expect(status, text).toBe(200);
  return JSON.parse(text) as Page;
}

describe('a refusal', () => {
  test('leads to the token and the sign-in, by the id of its decision, in one call', async () => {
    const { items } = await page(`/trace/${encodeURIComponent(denial.decision_id)}`);
    expect(items.map(({ event, outcome }) => `${event} ${outcome}`)).toEqual([
      'login success',
      'authorization.granted success',
      'token.issued success',
      'member.call denied',
    ]);
    expect(new Set(items.map(({ actor }) => actor?.id)).size).toBe(1);
    expect(new Set(items.map(({ actor }) => actor?.kind))).toEqual(new Set(['user']));
    expect(items.at(2)?.tokenId).toBe(items.at(3)?.tokenId);
  });

  test('and in one command', async () => {
    const { stdout } = await toolDone(['audit', 'list', '--decision', denial.decision_id], {
      dataDir: running.dataDir,
    });
    expect(stdout.split('\n')[0]).toMatch(/^TIME +EVENT +OUTCOME +WHO/);
    expect(stdout).toMatch(/ login [\s\S]+ token\.issued [\s\S]+ member\.call +denied /);
  });
});

describe('a list', () => {
  test.each([
    ['event=login', 1],
    ['event=login&outcome=denied', 0],
    ['event=member.*', 1],
    ['object=map:orders', 1],
    ['object=map', 1],
    ['object=map:others', 0],
    ['outcome=denied&object=map', 1],
    ['client=application-dashboard', 3],
    ['until=2020-01-01T00:00:00Z', 0],
    ['since=2020-01-01T00:00:00Z&event=login', 1],
  ])('by %s has %i', async (query, count) => {
    const { items } = await page(`?${query}`);
    expect(items).toHaveLength(count);
  });

  test('by the ids of the answer finds the refusal', async () => {
    const byDecision = await page(`?decision=${denial.decision_id}`);
    const byRequest = await page(`?joinedBy=${denial.request_id}`);
    expect(byDecision.items.map(({ event }) => event)).toEqual(['member.call']);
    expect(byRequest.items).toEqual(byDecision.items);
    const one = await ask(`/${byDecision.items[0]!.id}`);
    expect(JSON.parse(one.text)).toEqual(byDecision.items[0]);
    expect((await ask('/nobody-1')).status).toBe(404);
  });

  test('goes on from page to page, newest first, and ends', async () => {
    const { createdAt: until } = (await page('?limit=1')).items[0]!;
    const whole = await page(`?until=${until}`);
    const found: EntryView[] = [];
    let cursor = '';
    do {
      const { items, next } = await page(`?until=${until}&limit=2${cursor}`);
      found.push(...items);
      cursor = next === null ? '' : `&cursor=${next}`;
    } while (cursor !== '');
    expect(found.map(({ id }) => id)).toEqual(whole.items.map(({ id }) => id));
    expect((await ask(`?limit=2&event=login&cursor=${(await page('?limit=1')).next}`)).status).toBe(400);
  });

  test('of the latest has each denial and each change at once, and however often it is asked for the same', async () => {
    const latest = async () => {
      const { status, text } = await ask('/latest?limit=3');
      expect(status, text).toBe(200);
      return JSON.parse(text) as { readonly denials: EntryView[]; readonly changes: EntryView[] };
    };
    const before = await latest();
    expect(before.denials[0]).toMatchObject({ outcome: 'denied' });
    expect(await latest()).toEqual(before);
    for (let n = 0; n < 5; n++) {
      const id = `latest-${n}`;
      const change = await fetch(`${running.url}/api/v1/clients`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ id, scopes: ['svc:health:read'] }),
      });
      expect(change.status).toBe(201);
      expect((await latest()).changes[0]).toMatchObject({ event: 'client.added', object: { id } });
      const { secret } = (await change.json()) as { readonly secret: string };
      const own = await machineTokenOf(id, secret);
      const refused = await fetch(`${running.url}/svc/rest/queues/latest-${n}/size`, {
        headers: { Authorization: `Bearer ${own}` },
      });
      expect(refused.status).toBe(403);
      expect((await latest()).denials[0]).toMatchObject({ outcome: 'denied', actor: { id } });
    }
  });

  test.each(['since=yesterday', 'outcome=maybe', 'limit=0', 'nothing=1'])('refuses %s', async (query) => {
    expect((await ask(`?${query}`)).status).toBe(400);
  });

  test('and every other question leaves an entry that says who asked for what', async () => {
    await page('?event=key.*&outcome=failure');
    await vi.waitFor(async () => {
      const { items } = await page('?event=audit.read&limit=500');
      const asked = items.find(({ detail }) => JSON.stringify(detail).includes('key.*'));
      expect(asked?.actor).toMatchObject({ kind: 'client', id: 'application-client' });
    }, patient);
  });

  test('is for who may read the audit alone, and being refused is an entry', async () => {
    const other = await machineToken(running, 'api:users:read').catch(() => machineToken(running));
    const { status } = await ask('', other);
    expect([401, 403]).toContain(status);
    expect((await fetch(`${running.url}/api/v1/audit`)).status).toBe(401);
  });
});

describe('an export', () => {
  test('as JSON lines can be checked: with check-points, and the hash of what was left out', async () => {
    // Once a second there is one.
    const { text, headers } = await vi.waitFor(async () => {
      const exported = await ask('/export?event=login');
      expect(exported.text).toMatch(/"event":"login"[\s\S]*"event":"audit\.checkpoint"/);
      return exported;
    }, patient);
    expect(headers.get('content-type')).toBe('application/x-ndjson');
    expect(chainOf(text)).toBeGreaterThan(0);
    const entries = text.split('\n').filter((line) => line.includes('"event"'));
    expect(entries.filter((line) => line.includes('"event":"login"'))).toHaveLength(1);
    expect(entries.every((line) => /"event":"(login|audit\.checkpoint)"/.test(line))).toBe(true);
    expect(() => chainOf(text.replace('"outcome":"success"', '"outcome":"denied"'))).toThrow('another chain');
  });

  test('as CSV and CEF has what was asked for', async () => {
    const csv = await ask('/export?format=csv&outcome=denied&object=map');
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.text.trimEnd().split('\r\n')).toHaveLength(2);
    const cef = await ask('/export?format=cef&event=login');
    expect(cef.text).toMatch(/^CEF:0\|Cluster Console\|[^\n]+\|login\|login\|3\|rt=\d+ [^\n]+\n$/);
  });

  test('by command is the same', async () => {
    const options = { dataDir: running.dataDir };
    const { stdout } = await toolDone(['audit', 'export', '--format', 'csv', '--event', 'login'], options);
    expect(stdout.trimEnd().split(/\r?\n/)).toHaveLength(2);
    const listed = await toolDone(['audit', 'list', '--event', 'login', '--since', '1h', '--json'], options);
    expect(listed.json()).toHaveLength(1);
    const changes = await toolDone(['audit', 'list', '--changes', '--json'], options);
    const all = await toolDone(['audit', 'list', '--json'], options);
    const said = all.json<{ id: string; change: object | null }[]>().filter(({ change }) => change !== null);
    expect(said.length).toBeGreaterThan(0);
    expect(changes.json<{ id: string }[]>().map(({ id }) => id)).toEqual(said.map(({ id }) => id));
  });
});

test('what happens is told as it happens, to who follows, and from where they were cut off', async () => {
  const reader = await follow('?event=token.*');
  await machineToken(running);
  const first = await reader.next();
  expect(first.entry.event).toBe('token.issued');
  await reader.cancel();
  await machineToken(running);
  const again = await follow(`?event=token.*&after=${first.place}`);
  const second = await again.next();
  expect(second.entry.event).toBe('token.issued');
  expect(second.entry.id).not.toBe(first.entry.id);
  await again.cancel();
  expect((await ask('/events?after=nonsense')).status).toBe(400);
});

async function follow(query: string) {
  const response = await fetch(`${running.url}/api/v1/audit/events${query}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  const reader = response.body!.getReader();
  onTestFinished(() => reader.cancel().catch(() => {}));
  const decoder = new TextDecoder();
  let text = '';
  const events = async () => {
    for (;;) {
      const found = /(?:^|\n\n)event: entry\ndata: (.+)\n(?:id: (.+)\n)?\n/.exec(text);
      if (found) {
        text = text.slice(found.index + found[0].length);
        return { entry: JSON.parse(found[1]!) as EntryView, place: found[2] };
      }
      const { value, done } = await reader.read();
      if (done) throw new Error('the stream has ended');
      text += decoder.decode(value, { stream: true });
    }
  };
  // The first event says from where on it tells.
  const { value } = await reader.read();
  text = decoder.decode(value, { stream: true });
  return { next: events, cancel: () => reader.cancel() };
}

/** Computes the chain as docs/audit.md says. @returns how many check-points were right. @throws {Error} at the first that is not */
function chainOf(text: string): number {
  const sha = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  let c = Buffer.alloc(0);
  let checked = 0;
  for (const line of text.trimEnd().split('\n')) {
    const parsed = JSON.parse(line);
    if (parsed.export) c = Buffer.from(parsed.export.previous, 'base64url');
    else if (parsed.leftOut) {
      for (const e of parsed.leftOut.e) c = sha(Buffer.of(1), c, Buffer.from(e, 'base64url'));
    } else {
      if (parsed.event === 'audit.checkpoint') {
        if (parsed.c !== c.toString('base64url')) throw new Error('another chain');
        checked++;
      }
      c = sha(Buffer.of(1), c, sha(Buffer.of(0), Buffer.from(line)));
    }
  }
  return checked;
}
