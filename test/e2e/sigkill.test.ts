import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  admin,
  clientSecret,
  freePort,
  machineToken,
  type RunningConsole,
  startConsole,
  usedDataDir,
} from '../helpers/console.ts';

const kills = 50;
const basic = `Basic ${btoa(`application-client:${clientSecret}`)}`;

/** What one life of the process has acknowledged. */
interface Acknowledged {
  readonly revoked: string[];
  readonly sessions: string[];
}

test(`killed at ${kills} random moments during writes, the store opens and nothing acknowledged is missing (S75)`, {
  timeout: 600_000,
}, async () => {
  const dataDir = await usedDataDir();
  const port = await freePort();
  let checked = 0;
  let console = await startConsole({ dataDir, port });
  for (let round = 0; round < kills; round++) {
    const acknowledged = await writeUntilKilled(console, 20 + Math.random() * 280);
    console = await startConsole({ dataDir, port });
    for (const token of acknowledged.revoked) expect(await isActive(console, token)).toBe(false);
    for (const cookie of acknowledged.sessions) expect(await isSignedIn(console, cookie)).toBe(true);
    checked += acknowledged.revoked.length + acknowledged.sessions.length;
  }
  expect(await console.stop()).toBe(0);
  await rm(dataDir, { recursive: true });
  expect(checked).toBeGreaterThan(kills);
});

/** Revocations and sign-ins at the same time, until SIGKILL ends the process between two of them. */
async function writeUntilKilled(console: RunningConsole, afterMs: number): Promise<Acknowledged> {
  const acknowledged: Acknowledged = { revoked: [], sessions: [] };
  const tokens = await Promise.all(Array.from({ length: 3 }, () => machineToken(console)));
  let isOver = false;
  const writers = [
    ...tokens.map(async (first) => {
      for (let token = first; !isOver; token = await machineToken(console)) {
        if (await revoke(console, token)) acknowledged.revoked.push(token);
      }
    }),
    (async () => {
      while (!isOver) acknowledged.sessions.push(await signIn(console));
    })(),
  ];
  setTimeout(() => {
    isOver = true;
    console.child.kill('SIGKILL');
  }, afterMs);
  await Promise.allSettled(writers);
  await console.stop();
  return acknowledged;
}

async function revoke({ url }: RunningConsole, token: string): Promise<boolean> {
  const body = new URLSearchParams({ token });
  const response = await fetch(`${url}/oauth2/revoke`, {
    method: 'POST',
    headers: { Authorization: basic },
    body,
  });
  return response.status === 200;
}

async function isActive({ url }: RunningConsole, token: string): Promise<boolean> {
  const body = new URLSearchParams({ token });
  const response = await fetch(`${url}/oauth2/introspect`, {
    method: 'POST',
    headers: { Authorization: basic },
    body,
  });
  return ((await response.json()) as { active: boolean }).active;
}

/** @returns the Cookie field of a browser that has signed in */
async function signIn({ url }: RunningConsole): Promise<string> {
  const page = await fetch(`${url}/login`);
  const form = cookiesOf(page);
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())![1]!;
  const response = await fetch(`${url}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: form },
    body: new URLSearchParams({ csrf, username: admin.username, password: admin.password }),
  });
  expect(response.status).toBe(303);
  return cookiesOf(response);
}

async function isSignedIn({ url }: RunningConsole, cookie: string): Promise<boolean> {
  const response = await fetch(`${url}/`, { redirect: 'manual', headers: { Cookie: cookie } });
  await response.arrayBuffer();
  return response.status === 200;
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
