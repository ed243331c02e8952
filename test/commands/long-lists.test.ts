/** A list of any length is printed as its pages come: nobody holds it whole. */

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runTool, temporaryDirectory } from './support.ts';

const pages = 200;
const perPage = 500;
const long = 'x'.repeat(600);

function user(number: number) {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    ...{ id: `u-${number}`, subject: `s-${number}`, displayName: long, email: null, roles: [] },
    ...{ origin: { provider: null, subject: null }, status: 'active', lastSignInAt: null },
    ...{ createdAt: at, updatedAt: at, owner: { kind: 'admin', source: null }, hold: null },
  };
}

/** A console elsewhere that has 100,000 users: some 80 MB as JSON. */
async function startElsewhere(): Promise<string> {
  const server = createServer((req, res) => {
    const cursor = Number(new URL(req.url!, 'http://localhost').searchParams.get('cursor') ?? 0);
    const items = Array.from({ length: perPage }, (_, n) => user(cursor * perPage + n));
    const next = cursor + 1 < pages ? String(cursor + 1) : null;
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify({ items, next, count: null }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

test.each([
  { name: 'as text', args: [], lines: pages * perPage + 1 },
  { name: 'as one JSON array', args: ['--json'], lines: undefined },
])(
  '100,000 users $name with 32 MiB of memory for all of it',
  async ({ args, lines }) => {
    const tokenFile = join(temporaryDirectory(), 'token');
    writeFileSync(tokenFile, 'a-token');
    const listed = await runTool(
      ['user', 'list', '--url', await startElsewhere(), '--token-file', tokenFile, ...args],
      { env: { NODE_OPTIONS: '--max-old-space-size=32' } },
    );
    expect([listed.code, listed.stderr]).toEqual([0, '']);
    if (lines === undefined) expect(listed.json<unknown[]>()).toHaveLength(pages * perPage);
    else expect(listed.stdout.trimEnd().split('\n')).toHaveLength(lines);
  },
  60_000,
);
