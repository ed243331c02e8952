import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { userFields } from '../../console/bulk/columns.ts';
import { program, root, run, signIn, temporaryDirectory } from '../commands/support.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { password, sample } from './support.ts';

const document = readFileSync(join(root, 'docs/import.md'), 'utf8');

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console?.stop());

test('every recipe of docs/import.md works when pasted, and people sign in with the passwords that they had', async () => {
  const folder = temporaryDirectory();
  for (const name of ['auth0.ndjson', 'people.ldif', 'people.csv', 'people.jsonl']) {
    copyFileSync(sample(name), join(folder, name));
  }
  copyFileSync(sample('keycloak-argon2.json'), join(folder, 'realm.json'));
  const blocks = [...document.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
  expect(blocks).toHaveLength(5);
  const preamble = `set -eo pipefail\nnpx() { shift; "${process.execPath}" "${program}" "$@"; }\n`;
  for (const block of blocks) {
    const { dataDir } = console;
    const { code, stdout, stderr } = await run('bash', ['-c', preamble + block], { dataDir, cwd: folder });
    expect(code, `${block}${stdout}${stderr}`).toBe(0);
    expect(stderr).toBe('');
  }
  for (const name of ['grace', 'mina@auth0.example', 'ldif-mina', 'csv-mina', 'json-mina']) {
    expect(await signIn(console.url, name, password), name).toBeDefined();
  }
});

test('every field of a user stands in docs/import.md', () => {
  for (const name of userFields) expect(document).toContain(`\`${name}\``);
});
