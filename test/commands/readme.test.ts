/** What the README has people paste: the commands of its tasks, and its programs in five languages. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { snippetsFor } from '../../console/pages/access/clients/client-snippets.ts';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { startRecorder } from '../member-proxy/servers.ts';
import { root, runTool, temporaryDirectory } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const tasks = readme.slice(readme.indexOf('## I want to'), readme.indexOf('## Run it for real'));
const commands = [...tasks.matchAll(/`npx console ([^`]*)`/g)].map(([, command]) => command!);

let console: RunningConsole;
/** Two, so that one may be drained. */
let members: readonly Awaited<ReturnType<typeof startRecorder>>[];
beforeAll(async () => {
  members = [await startRecorder(), await startRecorder()];
  const addresses = members.map(({ address }) => address).join();
  console = await startConsole({ env: { CONSOLE_MEMBERS: addresses } });
});
afterAll(async () => {
  await console.stop();
  for (const member of members) await member.close();
});

test('the programs are those that a page of a client shows, which are run by the tests of that page', () => {
  const billing = { id: 'billing', scopes: ['svc:map:orders:read'] };
  for (const { language, text } of snippetsFor('http://localhost:8080', billing))
    expect(readme.split(`<summary>${language}</summary>`)[1]).toContain(text);
});

test('there are ten tasks, and each command does its own, one after the other', async () => {
  expect(tasks.match(/^\| [a-z]/gm)).toHaveLength(10);
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'corp.secret'), 'a secret of the provider\n');
  writeFileSync(join(folder, 'console.yaml'), 'version: 1\nsource: readme\n');
  const headers = { Authorization: `Bearer ${await machineToken(console, 'app:MetricsViewer')}` };
  const denied = await fetch(`${console.url}/svc/rest/maps/orders/1`, { headers });
  const decision = ((await denied.json()) as { decision_id: string }).decision_id;
  for (const command of commands) {
    const filled = command
      .replace('<decision_id>', decision)
      .replace('<member>', members[0]!.address)
      .replace('<id>', 'billing');
    const words = [...filled.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
    const { code, stdout, stderr } = await runTool(words, { dataDir: console.dataDir, cwd: folder });
    expect(code, `${command}\n${stdout}${stderr}`).toBe(0);
  }
});
