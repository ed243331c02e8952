/** Whoever verifies or exports an audit, in processes of their own. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type MadeAudit, madeWriter } from './audit-store.ts';

const run = promisify(execFile);

export interface Verified {
  readonly entries: number;
  readonly ms: number;
}

interface Report {
  readonly writers: readonly {
    readonly writer: string;
    readonly verdict: string;
    readonly entries: number;
  }[];
}

/** As by hand, from start to end. What a console has written behind it is signed with another key, and is found so. */
export async function verify(nodeBinary: string, { dataDir, key }: MadeAudit): Promise<Verified> {
  const start = performance.now();
  const args = ['dist/console/cli.js', 'audit', 'verify', join(dataDir, 'audit'), '--key', key, '--json'];
  const done = await run(nodeBinary, args).catch((error: { readonly stdout: string }) => error);
  const ms = performance.now() - start;
  const { writers } = JSON.parse(done.stdout) as Report;
  const made = writers.find(({ writer }) => writer === madeWriter);
  if (made?.verdict !== 'ok') throw new Error(`${dataDir} is not as it was made: ${done.stdout}`);
  return { entries: made.entries, ms };
}

const drain = `
const [url, authorization] = process.argv.slice(1);
const response = await fetch(url, { headers: { authorization } });
if (response.status !== 200) throw new Error(await response.text());
for await (const chunk of response.body) chunk.length;
`;

/** All of it, through the API. */
export async function exportBeside(nodeBinary: string, url: string, token: string): Promise<void> {
  const args = ['--input-type=module', '-e', drain, `${url}/api/v1/audit/export`, `Bearer ${token}`];
  await run(nodeBinary, args);
}
