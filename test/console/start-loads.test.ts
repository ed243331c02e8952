/** What a start leaves for the first who asks: libraries that take longer to load than the rest of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runTool, temporaryDirectory } from '../commands/support.ts';
import { apiToken, startConsole } from '../helpers/console.ts';

const watched = [
  '@opentelemetry/sdk-trace-base',
  '@opentelemetry/sdk-metrics',
  'zod',
  'ldapts',
  '@node-saml/node-saml',
  'xml-crypto',
  'openid-client',
];

test('a console without providers, and idp list there, load no library of schemas or protocols; the admin API loads that of schemas by its first call, and idp list without a console', async () => {
  const directory = temporaryDirectory();
  const listFile = join(directory, 'loaded');
  const env = {
    NODE_OPTIONS: `--import=${join(import.meta.dirname, '../helpers/loaded-packages.mjs')}`,
    LOADED_PACKAGES: listFile,
  };
  const loaded = (known = 'lmdb') => {
    const names = new Set(readFileSync(listFile, 'utf8').split('\n'));
    expect(names).toContain(known); // the list is one
    return watched.filter((name) => names.has(name));
  };

  const dataDir = join(directory, 'data');
  const console = await startConsole({ env, dataDir });
  try {
    expect(loaded()).toEqual([]);
    const headers = { Authorization: `Bearer ${await apiToken(console)}` };
    const calls = ['roles', 'clients', 'roles'].map((path) =>
      fetch(`${console.url}/api/v1/${path}`, { headers }),
    );
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(loaded()).toEqual(['zod']);
    writeFileSync(listFile, '');
    expect((await runTool(['idp', 'list'], { dataDir, env })).code).toBe(0);
    expect(loaded('')).toEqual([]);
  } finally {
    await console.stop();
  }
  writeFileSync(listFile, '');
  expect((await runTool(['idp', 'list'], { dataDir, env })).code).toBe(0);
  expect(loaded()).toEqual(['zod']);
}, 60_000);
