/** SIGKILL at any moment: no change without its entry, no entry without its change, no sign-in that was answered without one. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { verifyAudit } from '../../console/audit/verify/verify.ts';
import { storedEvents } from '../helpers/audit.ts';
import { admin, apiToken, freePort, type RunningConsole, startConsole, waitFor } from '../helpers/console.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

/** More of them on request: `AUDIT_KILLS=1000`. */
const rounds = Number(process.env.AUDIT_KILLS ?? 6);
/** Stores beside each other, so that one starts while another works. */
const lanes = rounds > 50 ? 3 : 1;
/** So often somebody signs in, which takes longer than a start. */
const signInEach = rounds > 50 ? 10 : 2;
/** Tokens count for longer. */
const tokenMs = 120_000;

vi.setConfig({ testTimeout: 60_000 + rounds * 5_000 });

interface Acknowledged {
  readonly clients: Set<string>;
  readonly descriptions: Set<string>;
  readonly signIns: Set<string>;
}

test(
  `what was changed is in the audit, once, after each of ${rounds} kills`,
  async () => {
    const each = Math.ceil(rounds / lanes);
    const sums = await Promise.all(Array.from({ length: lanes }, () => killAgainAndAgain(each)));
    if (rounds > 50) console.log(JSON.stringify(sums));
  },
  60_000 + rounds * 5_000,
);

async function killAgainAndAgain(kills: number) {
  const dataDir = await mkdtemp(join(tmpdir(), 'console-killed-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const port = await freePort();
  const acknowledged: Acknowledged = { clients: new Set(), descriptions: new Set(), signIns: new Set() };
  let running = await startConsole({ dataDir, port, isFirstStart: true });
  onTestFinished(async () => void (await running.stop()));
  let token = { text: await apiToken(running), at: Date.now() };
  await call(running, token.text, 'POST', '/roles', { id: 'changing', permissions: ['svc:health:read'] });
  for (let round = 0; round < kills; round++) {
    if (Date.now() - token.at > tokenMs) token = { text: await apiToken(running), at: Date.now() };
    await killWhileBusy(running, token.text, round, acknowledged);
    running = await startConsole({ dataDir, port });
  }
  const present = await stateOf(running, await apiToken(running));
  await running.stop();
  return checkAudit(dataDir, acknowledged, present);
}

/** Three write, each in its own way; the kill comes at some time within their first answers. */
async function killWhileBusy(
  running: RunningConsole,
  token: string,
  round: number,
  { clients, descriptions, signIns }: Acknowledged,
) {
  const before = clients.size;
  let isOver = false;
  const ended = new Promise((resolve) => running.child.once('exit', resolve));
  const adding = Array.from({ length: 2 }, async (_, lane) => {
    for (let n = 0; !isOver; n++) {
      const id = `c-${round}-${lane}-${n}`;
      const status = await call(running, token, 'POST', '/clients', { id, scopes: ['svc:health:read'] });
      if (status === 201) clients.add(id);
    }
  });
  const changing = (async () => {
    for (let n = 0; !isOver; n++) {
      const description = `${round} ${n}`;
      const status = await call(running, token, 'PATCH', '/roles/changing', { description });
      if (status === 200) descriptions.add(description);
    }
  })();
  const signingIn = (async () => {
    while (!isOver && round % signInEach === 0) {
      const agent = createUserAgent(running.url);
      const reply = await agent.submit(await agent.get('/login'), admin);
      if (reply.status < 400) signIns.add(String(reply.headers['x-request-id']));
    }
  })();
  const busy = [...adding, changing, signingIn].map((work) => work.catch(() => {}));
  await waitFor(() => clients.size > before, 'changes', 20_000);
  await delay(Math.random() * (round % signInEach === 0 ? 300 : 40));
  running.child.kill('SIGKILL');
  isOver = true;
  await ended;
  await Promise.all(busy);
}

interface Present {
  readonly clients: ReadonlySet<string>;
  readonly description: string | null;
}

/** @returns what there was of it */
function checkAudit(dataDir: string, acknowledged: Acknowledged, present: Present) {
  const events = storedEvents(dataDir).filter(({ outcome }) => outcome === 'success');
  const added = events.filter(({ event }) => event === 'client.added').map(({ target }) => String(target));
  const recorded = new Set(added);
  expect(recorded.size, 'none twice').toBe(added.length);
  expect(
    [...acknowledged.clients].filter((id) => !present.clients.has(id)),
    'none lost',
  ).toEqual([]);
  expect(
    [...present.clients].filter((id) => !recorded.has(id)),
    'no change without its entry',
  ).toEqual([]);
  expect(
    added.filter((id) => !present.clients.has(id)),
    'no entry without its change',
  ).toEqual([]);

  const steps = events.flatMap(({ event, changes }) =>
    event === 'role.updated' ? [(changes as { description: Step }).description] : [],
  );
  const said = new Set(steps.map(({ to }) => to));
  expect([...acknowledged.descriptions].filter((text) => !said.has(text))).toEqual([]);
  // Each begins where another ends: none is missing, and none is of what was not done.
  expect(new Set(steps.map(({ from }) => from)).size).toBe(steps.length);
  expect(steps.filter(({ from }) => from !== null && !said.has(from))).toEqual([]);
  expect(present.description).toBe(lastOf(steps));

  const signedIn = new Set(
    events.flatMap(({ event, requestId }) => (event === 'login' ? [String(requestId)] : [])),
  );
  expect([...acknowledged.signIns].filter((id) => !signedIn.has(id))).toEqual([]);
  const verified = verifyAudit({ directory: join(dataDir, 'audit'), publicKey: undefined, anchors: [] });
  expect({ isGood: verified.isGood, writers: verified.writers.length }).toEqual({ isGood: true, writers: 1 });
  return {
    acknowledged: acknowledged.clients.size + acknowledged.descriptions.size,
    changes: added.length + steps.length,
    signIns: acknowledged.signIns.size,
  };
}

interface Step {
  readonly from: string | null;
  readonly to: string;
}

/** The one that no other goes on from. */
function lastOf(steps: readonly Step[]): string | null {
  const followed = new Set(steps.map(({ from }) => from));
  return steps.find(({ to }) => !followed.has(to))?.to ?? null;
}

async function call(
  { url }: RunningConsole,
  token: string,
  method: string,
  path: string,
  body: object,
): Promise<number> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function stateOf(running: RunningConsole, token: string): Promise<Present> {
  const headers = { Authorization: `Bearer ${token}` };
  const read = async <T>(path: string) =>
    (await (await fetch(`${running.url}/api/v1${path}`, { headers })).json()) as T;
  const clients = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { items: readonly { id: string }[]; next: string | null } = await read(
      `/clients?limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    for (const { id } of page.items) if (id.startsWith('c-')) clients.add(id);
    cursor = page.next;
  }
  const { description } = await read<{ description: string | null }>('/roles/changing');
  return { clients, description };
}
