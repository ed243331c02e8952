/** SIGKILL at any moment: no acknowledged change or sign-in without its entry, no entry without its change. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { verifyAudit } from '../../console/audit/verify/verify.ts';
import { storedEvents } from '../helpers/audit.ts';
import { admin, apiToken, type RunningConsole, startConsole, waitFor } from '../helpers/console.ts';
import { createUserAgent } from '../helpers/user-agent.ts';

/** More of them on request: `AUDIT_KILLS=1000`. */
const rounds = Number(process.env.AUDIT_KILLS ?? 6);

vi.setConfig({ testTimeout: 60_000 + rounds * 10_000 });

interface Acknowledged {
  readonly roles: Set<string>;
  readonly signIns: Set<string>;
}

test(`what was acknowledged is in the audit, once, after each of ${rounds} kills`, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'console-killed-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const acknowledged: Acknowledged = { roles: new Set(), signIns: new Set() };
  let console = await startConsole({ dataDir, isFirstStart: true });
  onTestFinished(async () => void (await console.stop()));
  for (let round = 0; round < rounds; round++) {
    await killWhileBusy(console, round, acknowledged);
    console = await startConsole({ dataDir });
  }
  const present = await rolesOf(console);
  await console.stop();

  expect(acknowledged.roles.size).toBeGreaterThan(rounds);
  const events = storedEvents(dataDir);
  const added = events.filter(({ event, outcome }) => event === 'role.added' && outcome === 'success');
  const recorded = added.map(({ target }) => String(target));
  expect(new Set(recorded).size, 'none twice').toBe(recorded.length);
  expect([...acknowledged.roles].filter((id) => !recorded.includes(id))).toEqual([]);
  expect(recorded.filter((id) => !present.has(id))).toEqual([]);
  const signedIn = new Set(
    events.flatMap(({ event, outcome, requestId }) =>
      event === 'login' && outcome === 'success' ? [String(requestId)] : [],
    ),
  );
  expect([...acknowledged.signIns].filter((id) => !signedIn.has(id))).toEqual([]);
  const { isGood, writers } = verifyAudit({
    directory: join(dataDir, 'audit'),
    publicKey: undefined,
    anchors: [],
  });
  expect({ isGood, writers: writers.length }).toEqual({ isGood: true, writers: 1 });
});

async function killWhileBusy(console: RunningConsole, round: number, { roles, signIns }: Acknowledged) {
  const token = await apiToken(console);
  const before = roles.size;
  let isOver = false;
  const ended = new Promise((resolve) => console.child.once('exit', resolve));
  const adding = Array.from({ length: 3 }, async (_, lane) => {
    for (let n = 0; !isOver; n++) {
      const id = `r-${round}-${lane}-${n}`;
      const answer = await fetch(`${console.url}/api/v1/roles`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ id, permissions: ['svc:health:read'] }),
      });
      if (answer.status === 201) roles.add(id);
      await answer.arrayBuffer();
      // As many as one may make in a second.
      await delay(150);
    }
  });
  const signingIn = (async () => {
    while (!isOver) {
      const agent = createUserAgent(console.url);
      const reply = await agent.submit(await agent.get('/login'), admin);
      if (reply.status < 400) signIns.add(String(reply.headers['x-request-id']));
    }
  })();
  const busy = [...adding, signingIn].map((work) => work.catch(() => {}));
  await waitFor(() => roles.size > before + 1, 'changes', 20_000);
  await delay(Math.random() * 300);
  console.child.kill('SIGKILL');
  isOver = true;
  await ended;
  await Promise.all(busy);
}

async function rolesOf(console: RunningConsole): Promise<Set<string>> {
  const token = await apiToken(console);
  const answer = await fetch(`${console.url}/api/v1/roles?limit=500`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const { items } = (await answer.json()) as { items: readonly { id: string }[] };
  return new Set(items.map(({ id }) => id));
}
