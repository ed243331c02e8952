/** S95: a token exchange is one transaction, and one whose reply was lost can be repeated for 10 seconds. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { type ClientKey, makeProof, newClientKey } from '../helpers/dpop.ts';
import {
  authorize,
  dashboard,
  type Parameters,
  redeem,
  refresh,
  signInForTokens,
  type Tokens,
  userinfo,
  verifier,
} from '../helpers/sign-in.ts';
import { addClient, thirdParty, withStore } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

type Console = Pick<RunningConsole, 'url'>;

const newCode = async (console: Console) => (await authorize(createUserAgent(console.url))).get('code')!;
const signIn = (console: Console) => signInForTokens(console, createUserAgent(console.url));

/** What is exchanged, and for each how it is done, once more or with something else. */
const sources = [
  { name: 'a code', prepare: newCode, exchange: redeem },
  {
    name: 'a refresh token',
    prepare: async (console: Console) => (await signIn(console)).refresh_token,
    exchange: refresh,
  },
] as const;

describe('within 10 seconds the same request gets the first answer (B2)', () => {
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole();
    await addClient(console.dataDir);
  });
  afterAll(() => console?.stop());

  test.each(sources)(
    'of 20 exchanges of $name at once one has won, and all get what it got (B2)',
    async ({ prepare, exchange }) => {
      const source = await prepare(console);
      const replies = await Promise.all(Array.from({ length: 20 }, () => exchange(console, source)));
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
      for (const { body } of replies) expect(body).toEqual(replies[0]!.body);
      const tokens = replies[0]!.body;
      expect((await userinfo(console, tokens.access_token)).status).toBe(200);
      expect((await refresh(console, tokens.refresh_token)).status).toBe(200);
      // One refresh token was made, not twenty: the log tells who won.
      await console.waitFor(() => countOf(console, 'token.repeated') >= 19, 'the repetitions in the log');
    },
  );

  test.each(sources)(
    '$name once more, while nothing has used what came of it (B2)',
    async ({ prepare, exchange }) => {
      const source = await prepare(console);
      const first = await exchange(console, source);
      expect(first.status).toBe(200);
      for (let n = 0; n < 3; n++) expect(await exchange(console, source)).toEqual(first);
      expect((await refresh(console, first.body.refresh_token)).status).toBe(200);
    },
  );

  test.each(sources)(
    '$name after its successor was used is reuse, and ends the grant (B2)',
    async ({ prepare, exchange }) => {
      const source = await prepare(console);
      const first = (await exchange(console, source)).body;
      const next = (await refresh(console, first.refresh_token)).body;
      await expectReuse(console, await exchange(console, source), [first, next]);
    },
  );

  test('a code after its access token was used is reuse (B2)', async () => {
    const code = await newCode(console);
    const first = (await redeem(console, code)).body;
    expect((await userinfo(console, first.access_token)).status).toBe(200);
    await expectReuse(console, await redeem(console, code), [first]);
  });

  test('of tabs that refresh at once, each may use its access token at once (B2)', async () => {
    const { refresh_token: token } = await signIn(console);
    const first = await refresh(console, token);
    expect((await userinfo(console, first.body.access_token)).status).toBe(200);
    expect(await refresh(console, token)).toEqual(first);
  });

  test.each([
    { name: 'another verifier', changes: { code_verifier: `${verifier}x` } },
    { name: 'no verifier', changes: { code_verifier: undefined } },
    { name: 'another client', changes: { client_id: thirdParty.id } },
    { name: 'another address', changes: { redirect_uri: `${dashboard.address}/elsewhere` } },
  ])('nothing for $name, and the owner gets the answer all the same (B2)', async ({ changes }) => {
    const code = await newCode(console);
    const first = await redeem(console, code);
    const stolen = await redeem(console, code, changes as Parameters);
    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant']);
    expect(stolen.body.access_token).toBeUndefined();
    expect(await redeem(console, code)).toEqual(first);
  });

  test('a refresh token of somebody else’s client gets nothing (B2)', async () => {
    const { refresh_token: token } = await signIn(console);
    const first = await refresh(console, token);
    const stolen = await refresh(console, token, { client_id: thirdParty.id });
    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant']);
    expect(await refresh(console, token)).toEqual(first);
  });

  test('another scope is another request, so it is reuse (B2)', async () => {
    const { refresh_token: token } = await signIn(console);
    const first = (await refresh(console, token)).body;
    await expectReuse(console, await refresh(console, token, { scope: 'openid' }), [first]);
  });

  test('only the key that has proved the first request gets the answer again (B2)', async () => {
    const [key, other] = [await newClientKey(), await newClientKey()];
    const code = await newCode(console);
    const first = await redeemWith(console, key, code);
    expect(first).toMatchObject({ status: 200, body: { token_type: 'DPoP' } });
    expect(await redeemWith(console, key, code)).toEqual(first);
    expect((await redeemWith(console, other, code)).body.error).toBe('invalid_grant');

    const bound = await redeemWith(console, key, await newCode(console));
    const refreshed = await refreshWith(console, key, bound.body.refresh_token);
    expect(await refreshWith(console, key, bound.body.refresh_token)).toEqual(refreshed);
    const stolen = await refreshWith(console, other, bound.body.refresh_token);
    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant']);
    expect(await refreshWith(console, undefined, bound.body.refresh_token)).toMatchObject({ status: 400 });
    expect(await refreshWith(console, key, bound.body.refresh_token)).toEqual(refreshed);
  });

  test('what has ended meanwhile is not given again (B2)', async () => {
    const agent = createUserAgent(console.url);
    const { refresh_token: token } = await signInForTokens(console, agent);
    expect((await refresh(console, token)).status).toBe(200);
    const page = await agent.get('/connect/logout');
    await agent.submit(page, {});
    const late = await refresh(console, token);
    expect([late.status, late.body.error]).toEqual([400, 'invalid_grant']);
  });

  test('the store holds none of it in the clear (B2, S79)', async () => {
    const first = (await redeem(console, await newCode(console))).body;
    const kept = await withStore(console.dataDir, ({ artifacts }) => artifacts.list('FirstAnswer', 1000));
    expect(kept.length).toBeGreaterThan(0);
    const text = JSON.stringify(kept);
    for (const secret of [first.access_token, first.refresh_token, first.id_token]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(secret.slice(0, 40));
    }
  });
});

describe('after 10 seconds (B2)', () => {
  let directory: string;
  let console: RunningConsole;
  const setClock = (seconds: number) => writeFile(join(directory, 'clock'), String(seconds));

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'console-clock-'));
    await setClock(0);
    console = await startConsole({
      env: {
        NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'movable-clock.mjs')).href}`,
        TEST_CLOCK_FILE: join(directory, 'clock'),
      },
    });
  });
  afterAll(async () => {
    await console?.stop();
    await rm(directory, { recursive: true, force: true });
  });
  beforeEach(() => setClock(0));

  test.each(sources)('$name is reuse, and ends the grant (B2)', async ({ prepare, exchange }) => {
    const source = await prepare(console);
    const first = await exchange(console, source);
    await setClock(8);
    expect(await exchange(console, source)).toEqual(first);
    await setClock(12);
    await expectReuse(console, await exchange(console, source), [first.body]);
  });
});

const canMount = process.platform === 'linux' && process.getuid?.() === 0;

describe.skipIf(!canMount)(
  `on a full disk${canMount ? '' : ' (skipped: needs root to mount one)'} (B2)`,
  () => {
    let disk: string;
    let console: RunningConsole;
    beforeAll(async () => {
      disk = mkdtempSync(join(tmpdir(), 'console-disk-'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk]);
      console = await startConsole({ dataDir: join(disk, 'data') });
    });
    afterAll(async () => {
      await console?.stop();
      execFileSync('umount', ['-l', disk]);
      rmSync(disk, { recursive: true, force: true });
    });
    const filler = () => join(disk, 'filler');
    afterEach(() => rmSync(filler(), { force: true }));

    // What is left decides how far a commit gets, had it been more than one.
    test.each(sources.flatMap((source) => [0, 1, 4].map((pages) => ({ ...source, pages }))))(
      '$name that got 503 with $pages pages left works once there is room (B2)',
      async ({ prepare, exchange, pages }) => {
        let source = await prepare(console);
        let rejected = await onFullDisk();
        // The store's file may have had pages to reuse, of which every exchange leaves fewer.
        for (let n = 0; pages === 0 && rejected.status === 200 && n < 10; n++) {
          source = await prepare(console);
          rejected = await onFullDisk();
        }
        if (pages === 0) {
          expect([rejected.status, rejected.body.error]).toEqual([503, 'temporarily_unavailable']);
          expect(rejected.body.access_token).toBeUndefined();
        }
        const tokens = await exchange(console, source);
        expect(tokens.status).toBe(200);
        if (rejected.status === 200) expect(tokens).toEqual(rejected);
        expect((await userinfo(console, tokens.body.access_token)).status).toBe(200);
        expect((await refresh(console, tokens.body.refresh_token)).status).toBe(200);

        async function onFullDisk() {
          fill(filler(), pages);
          return exchange(console, source).finally(() => rmSync(filler()));
        }
      },
    );
  },
);

/** Kills at the full size: TEST_KILLS=100. */
const kills = Number(process.env.TEST_KILLS ?? 3);

test(
  `after SIGKILL during an exchange (${kills} times) the repetition is answered (B2)`,
  async () => {
    const dataDir = await usedDataDir();
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    let lost = 0;
    let console = await startConsole({ dataDir });
    const { port } = console;
    for (let n = 0; n < kills; n++) {
      const { prepare, exchange } = sources[n % 2]!;
      const source = await prepare(console);
      const { child } = console;
      const gone = new Promise((resolve) => child.once('close', resolve));
      // The first ones right after the reply, which stands for one that was lost; the others at any moment.
      const asked = exchange(console, source).catch(() => undefined);
      const early = n < 2 ? await asked : undefined;
      if (n >= 2) await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
      child.kill('SIGKILL');
      await gone;
      const reply = early ?? (await asked);
      console = await startConsole({ dataDir, port });
      const again = await exchange(console, source);
      expect(again.status).toBe(200);
      if (reply) expect(again).toEqual(reply);
      else lost++;
      expect((await refresh(console, again.body.refresh_token)).status).toBe(200);
    }
    await console.stop();
    if (kills > 3) process.stdout.write(`${kills} kills, ${lost} replies lost\n`);
  },
  30_000 + kills * 10_000,
);

/** Leaves so many pages of 4 KiB. */
function fill(file: string, pages: number): void {
  const chunk = randomBytes(4096);
  let room = true;
  let written = 0;
  while (room) {
    try {
      writeFileSync(file, chunk, { flag: 'a' });
      written++;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      room = false;
    }
  }
  execFileSync('truncate', ['-s', String(Math.max(0, written - pages) * 4096), file]);
}

async function expectReuse(
  console: Console,
  { status, body }: { status: number; body: Tokens & { error?: string } },
  issued: readonly Tokens[],
): Promise<void> {
  expect([status, body.error]).toEqual([400, 'invalid_grant']);
  expect(body.access_token).toBeUndefined();
  for (const { access_token: token } of issued) expect((await userinfo(console, token)).status).toBe(401);
  expect((await refresh(console, issued.at(-1)!.refresh_token)).body.error).toBe('invalid_grant');
}

function countOf(console: RunningConsole, event: string): number {
  return console.log().filter((line) => line.event === event).length;
}

const redeemWith = (console: Console, key: ClientKey, code: string) =>
  tokensWith(console, key, {
    grant_type: 'authorization_code',
    client_id: dashboard.clientId,
    redirect_uri: dashboard.redirectUri,
    code,
    code_verifier: verifier,
  });

const refreshWith = (console: Console, key: ClientKey | undefined, token: string) =>
  tokensWith(console, key, {
    grant_type: 'refresh_token',
    client_id: dashboard.clientId,
    refresh_token: token,
  });

async function tokensWith(
  { url }: Console,
  key: ClientKey | undefined,
  form: Readonly<Record<string, string>>,
): Promise<{ status: number; body: Tokens & { error?: string } }> {
  const address = `${url}/oauth2/token`;
  const response = await fetch(address, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: key ? { DPoP: await makeProof(key, { url: address }) } : {},
  });
  return { status: response.status, body: await response.json() };
}
