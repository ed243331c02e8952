/** Long lists go out in pieces: whole, with their length, in the order of before, and without holding up others. */
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { withStore } from '../helpers/store.ts';

const many = 700;
/** Two and four bytes long, so that no piece ends at a character by chance. */
const nameOf = (n: number) => `Zoë 𝒵 ${n} ${'ü'.repeat(n % 90)}`;

let console: RunningConsole;
let token: string;
beforeAll(async () => {
  const dataDir = await usedDataDir();
  await withStore(dataDir, async ({ records }) => {
    await records.change(async (transaction) => {
      for (let n = 0; n < many; n++) {
        const username = `person-${String(n).padStart(4, '0')}`;
        const fields = { roles: ['Viewer'], passwordHash: 'none', disabled: false };
        const times = { createdAt: 1, tokensValidFrom: 1 };
        transaction.put('users', { id: `id-${n}`, username, name: nameOf(n), ...fields, ...times });
      }
    });
  });
  console = await startConsole({ dataDir, env: { CONSOLE_API_READ_RATE: '0' } });
  token = await apiToken(console);
});
afterAll(() => console?.stop());

interface Received {
  readonly status: number;
  readonly length: number;
  readonly bytes: Buffer;
}

function get(path: string, accept = 'application/json'): Promise<Received> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept };
    const call = request(`${console.url}/api/v1${path}`, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          length: Number(response.headers['content-length']),
          bytes: Buffer.concat(chunks),
        }),
      );
      response.on('error', reject);
    });
    call.on('error', reject).end();
  });
}

test('a page of 500 is one JSON text of the length that was told, and goes on where it ended', async () => {
  const first = await get('/users?limit=500&q=person');
  expect([first.status, first.bytes.length]).toEqual([200, first.length]);
  expect(first.length).toBeGreaterThan(100_000);
  const page = JSON.parse(first.bytes.toString());
  expect(Object.keys(page)).toEqual(['items', 'next', 'count']);
  const rest = JSON.parse((await get(`/users?limit=500&q=person&cursor=${page.next}`)).bytes.toString());
  const names = [...page.items, ...rest.items].map(({ displayName }) => displayName);
  expect(names).toEqual(Array.from({ length: many }, (_, n) => nameOf(n)));
  expect(rest.next).toBeNull();
});

test('as CSV it has the same rows', async () => {
  const { status, length, bytes } = await get('/users?limit=500&q=person', 'text/csv');
  expect([status, bytes.length]).toEqual([200, length]);
  const lines = bytes.toString().split('\r\n');
  expect(lines).toHaveLength(502);
  expect(lines[500]).toContain(nameOf(499));
});

test('who goes away in the middle of one takes nothing along', async () => {
  const agent = new Agent({ keepAlive: false });
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const headers = { authorization: `Bearer ${token}` };
      await new Promise<void>((resolve) => {
        const call = request(`${console.url}/api/v1/users?limit=500`, { agent, headers }, (response) => {
          response.once('data', () => response.destroy());
          response.once('close', () => resolve());
        });
        call.on('error', () => resolve()).end();
      });
    }),
  );
  expect((await get('/users?limit=500')).status).toBe(200);
  expect([console.child.exitCode, console.log().filter(({ level }) => level === 'error')]).toEqual([
    null,
    [],
  ]);
});
