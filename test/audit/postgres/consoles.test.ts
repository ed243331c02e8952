/** The audit of several consoles on one PostgreSQL: each shows what all of them have written, within a second. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { toolDone as processDone } from '../../commands/support.ts';
import { storedEntries } from '../../helpers/audit.ts';
import { toolDone } from '../../helpers/commands.ts';
import { apiToken, type RunningConsole } from '../../helpers/console.ts';
import { postgresPrograms } from '../../helpers/postgres.ts';
import { signInForTokens } from '../../helpers/sign-in.ts';
import { createUserAgent } from '../../helpers/user-agent.ts';
import { type OpenStream, openStream, type StreamEvent } from '../../pages/live-support.ts';
import { type Consoles, type EntryView, openConsoles } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(postgresPrograms === undefined)('the audit of several consoles, where PostgreSQL is', () => {
  let consoles: Consoles;
  let one: RunningConsole;
  let other: RunningConsole;

  beforeAll(async () => {
    consoles = await openConsoles();
    one = await consoles.start();
    other = await consoles.start();
  }, 120_000);
  afterAll(() => consoles?.close(), 120_000);

  const clientAt = (console: RunningConsole, id: string) =>
    consoles.api(console, 'POST', '/clients', { id, scopes: ['svc:health:read'] });
  /** A busy machine gets some more than the second. */
  const soon = { timeout: 5_000, interval: 50 };

  async function deniedAt(console: RunningConsole): Promise<{ decision_id: string; request_id: string }> {
    await toolDone(['user', 'add', `vera-${console.port}`, '--role', 'Viewer', '--password-file', '-'], {
      dataDir: console.dataDir,
      stdin: 'a-viewers-long-password\n',
    });
    consoles.front.choose(console.port);
    const credentials = { username: `vera-${console.port}`, password: 'a-viewers-long-password' };
    const tokens = await signInForTokens(
      consoles.front,
      createUserAgent(consoles.front.url),
      {},
      credentials,
    );
    const denied = await fetch(`${consoles.front.url}/svc/rest/maps/orders/1`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${tokens.access_token}` },
    });
    expect(denied.status).toBe(403);
    return (await denied.json()) as { decision_id: string; request_id: string };
  }

  test('a console with nothing to do asks the database no more for its audit', async () => {
    const calls = async () =>
      (
        await consoles.query<{ n: number }>(
          `select coalesce(sum(seq_scan + idx_scan), 0)::int as n from pg_stat_user_tables
            where relname in ('audit_chain', 'audit_entry', 'audit_outbox')`,
        )
      )[0]!.n;
    // What is under way ends, and its statistics come.
    let before = -1;
    await vi.waitFor(
      async () => {
        const now = await calls();
        const isQuiet = now === before;
        before = now;
        expect(isQuiet).toBe(true);
      },
      { timeout: 20_000, interval: 2_000 },
    );
  });

  test('what one has written is in the list, the entry, the overview, the export and the commands of the other', async () => {
    await clientAt(one, 'from-one');
    await clientAt(other, 'from-other');
    for (const console of [one, other]) {
      await vi.waitFor(async () => {
        const ids = (await consoles.entries(console, '?event=client.added')).map(({ object }) => object?.id);
        expect(ids).toEqual(['from-other', 'from-one']);
      }, soon);
      const [entry] = await consoles.entries(console, '?object=client:from-one');
      expect(await consoles.api(console, 'GET', `/audit/${entry!.id}`)).toMatchObject({
        object: { kind: 'client', id: 'from-one' },
        outcome: 'success',
      });
      const { changes } = await consoles.api<{ changes: { object: { id: string } }[] }>(
        console,
        'GET',
        '/audit/latest',
      );
      expect(changes.slice(0, 2).map(({ object }) => object.id)).toEqual(['from-other', 'from-one']);
      const { text } = await consoles.call(
        console,
        'GET',
        '/api/v1/audit/export?format=csv&event=client.added',
      );
      expect(text.split('\r\n').filter((line) => line.includes('client.added'))).toHaveLength(2);
      const { dataDir } = console;
      const listed = await toolDone(['audit', 'list', '--event', 'client.added', '--json'], { dataDir });
      expect(listed.json()).toMatchObject([{ id: expect.any(String) }, { id: entry!.id }]);
      const shown = await toolDone(['audit', 'show', entry!.id], { dataDir });
      expect(shown.stdout).toContain('from-one');
    }
    // One chain for each of them.
    const writers = await consoles.query<{ writer: string }>('select writer from audit_chain');
    expect(writers).toHaveLength(2);
  });

  test('a refusal at one: its story, explanation and place in the overview at the other, within a second', async () => {
    const { decision_id: decision } = await deniedAt(one);
    await vi.waitFor(async () => {
      const { denials } = await consoles.api<{ denials: readonly EntryView[] }>(
        other,
        'GET',
        '/audit/latest',
      );
      expect(denials.map(({ decisionId }) => decisionId)).toContain(decision);
    }, soon);
    const { items } = await consoles.api<{ items: readonly EntryView[] }>(
      other,
      'GET',
      `/audit/trace/${decision}`,
    );
    expect(items.map(({ event }) => event)).toEqual(expect.arrayContaining(['login', 'token.issued']));
    expect(items.at(-1)).toMatchObject({ decisionId: decision, outcome: 'denied' });
    await vi.waitFor(async () => {
      const explained = await toolDone(['explain', '--decision', decision], { dataDir: other.dataDir });
      expect(explained.stdout).toContain('DELETE');
    }, soon);
    const ada = await consoles.browser(other);
    expect((await ada.get(`/observe/decisions/${decision}`)).body).toContain('/svc/rest/maps/orders/1');
    expect((await ada.get('/observe/audit?outcome=denied')).body).toContain(`vera-${one.port}`);
    expect((await ada.get(`/observe/search?q=${decision}`)).body).toContain(
      `href="/observe/decisions/${decision}"`,
    );
  });

  test('an open list of one says what has come at the other, of entries, jobs and nothing else', async () => {
    const ada = await consoles.browser(one);
    const opened = async (path: string) => {
      const [, newest = ''] = /data-newest="([^"]*)"/.exec((await ada.get(path)).body) ?? [];
      const query = new URLSearchParams({ newest });
      consoles.front.choose(one.port);
      return openStream(consoles.front.url, ada, `${path}${path.includes('?') ? '&' : '?'}${query}`);
    };
    const has = (count: number) => (event: StreamEvent) => event.name === 'new' && event.data.count === count;
    const streams = [
      await opened('/observe/audit?event=client.added'),
      await opened('/observe/audit?event=role.added'),
      await opened('/observe/jobs'),
    ];
    const [entries, others, jobs] = streams as [OpenStream, OpenStream, OpenStream];
    await Promise.all(streams.map((stream) => stream.until(has(0))));
    await clientAt(other, 'seen-from-one');
    await entries.until(has(1));
    await consoles.api(other, 'POST', '/audit/verification');
    await jobs.until(has(1));
    expect(others.events.filter(({ name }) => name === 'new')).toHaveLength(1);
    for (const { leave } of streams) leave();
  });

  test('pages show what the other has just written, and lists go on over both', async () => {
    const ada = await consoles.browser(one);
    for (let n = 0; n < 3; n++) await clientAt(n % 2 === 0 ? one : other, `paged-${n}`);
    consoles.front.choose(one.port);
    await vi.waitFor(async () => {
      const page = await ada.get('/observe/audit?event=client.added');
      for (let n = 0; n < 3; n++) expect(page.body).toContain(`paged-${n}`);
    }, soon);
    expect((await ada.get('/')).body).toContain('paged-2');
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await consoles.api<{ items: readonly EntryView[]; next: string | null }>(
        one,
        'GET',
        `/audit?event=client.*&limit=1${cursor}`,
      );
      ids.push(...page.items.flatMap(({ event, object }) => (event === 'client.added' ? [object!.id] : [])));
      if (page.next === null) break;
      cursor = `&cursor=${encodeURIComponent(page.next)}`;
    }
    expect(ids.slice(0, 3)).toEqual(['paged-2', 'paged-1', 'paged-0']);
  });

  test('whoever follows at one is told of what the other writes', async () => {
    const token = await bearer();
    consoles.front.choose(one.port);
    const response = await fetch(`${consoles.front.url}/api/v1/audit/events?event=role.*`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader.read()).value ?? '';
    await consoles.api(other, 'POST', '/roles', { id: 'followed', permissions: ['svc:health:read'] });
    while (!text.includes('"id":"followed"')) text += (await reader.read()).value ?? '';
    await reader.cancel();
  });

  async function bearer(): Promise<string> {
    consoles.front.choose(one.port);
    return apiToken(consoles.front);
  }

  test('what a command changes where no console runs is in the audit of all', async () => {
    const dataDir = await consoles.newDataDir();
    const env = { CONSOLE_DATABASE_URL: consoles.databaseUrl, CONSOLE_URL: consoles.front.url };
    await processDone(['client', 'add', 'by-command', '--scope', 'svc:health:read'], { dataDir, env });
    await vi.waitFor(async () => {
      expect(await consoles.entries(one, '?object=client:by-command')).toMatchObject([
        { event: 'client.added', outcome: 'success', actor: { kind: 'local' } },
      ]);
    }, soon);
    const listed = await processDone(['audit', 'list', '--event', 'client.added', '--json'], {
      dataDir,
      env,
    });
    expect(listed.stdout).toContain('from-other');
  });

  test('the chains of both check, and their check-points know of each other', async () => {
    const { dataDir } = one;
    const env = { CONSOLE_DATABASE_URL: consoles.databaseUrl };
    await clientAt(one, 'verified');
    await clientAt(other, 'verified-too');
    const heads = () =>
      storedEntries(dataDir).findLast(({ event }) => event === 'audit.checkpoint') as unknown as {
        heads: object;
      };
    await vi.waitFor(() => expect(Object.keys(heads().heads)).toHaveLength(3), soon);
    const good = await toolDone(['audit', 'verify', '--json'], { dataDir, env });
    expect(good.json()).toMatchObject({ isGood: true, isSigned: true, directory: null });
    // That of the command too.
    expect((good.json() as { writers: object[] }).writers).toHaveLength(3);
  });

  test('an entry that is erased at one is in no file of the other, and says nothing anywhere', async () => {
    await clientAt(other, 'forgotten-person');
    await vi.waitFor(async () => {
      expect(await consoles.entries(one, '?object=client:forgotten-person')).toHaveLength(1);
    }, soon);
    const [entry] = await consoles.entries(one, '?object=client:forgotten-person');
    await consoles.api(one, 'POST', `/audit/${entry!.id}/erase`, { reason: 'asked for by law' });
    for (const console of [one, other]) {
      expect(await consoles.entries(console, '?object=client:forgotten-person')).toEqual([]);
      expect((await consoles.call(console, 'GET', `/api/v1/audit/${entry!.id}`)).status).toBe(404);
    }
    // The other console has it in a file of its own; it learns of it with its next entries.
    await vi.waitFor(
      async () => {
        await clientAt(other, `next-${Math.random().toString(36).slice(2)}`);
        const said = storedEntries(other.dataDir).filter(({ object }) => object?.id === 'forgotten-person');
        expect(said).toEqual([]);
      },
      { timeout: 10_000, interval: 300 },
    );
    const env = { CONSOLE_DATABASE_URL: consoles.databaseUrl };
    const verified = await toolDone(['audit', 'verify', '--json'], { dataDir: one.dataDir, env });
    expect(verified.json()).toMatchObject({ isGood: true });
    expect(JSON.stringify(verified.json())).toContain('"erased":1');
    await vi.waitFor(async () => {
      const left = await consoles.query<{ erased: unknown[] }>('select erased from audit_chain');
      expect(left.flatMap(({ erased }) => erased)).toEqual([]);
    }, soon);
  });
});
