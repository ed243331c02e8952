/** Data that schemathesis makes from the description, good and bad, sent to a console: its answers are those that are described. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { cacheFolder, whyMissing } from './support/program.ts';

const folder = 'api-clients-2/python';
const missing = whyMissing(folder, 'bash test/peers/set-up-api-clients.sh') ?? '';
const endings = ['shutDownMember', 'shutDownCluster', 'drainMember', 'changeClusterState'];
const config = resolve(import.meta.dirname, 'api-clients/schemathesis.toml');
/** `SCHEMATHESIS_SECONDS=600` says more; its seed is printed. */
const seconds = Number(process.env.SCHEMATHESIS_SECONDS ?? 40);
const seed =
  process.env.SCHEMATHESIS_SEED ?? (process.env.SCHEMATHESIS_SECONDS ? `${Date.now() % 1e6}` : '7');

describe.skipIf(missing)(`schemathesis${missing}`, () => {
  let console: RunningConsole;
  let work: string;
  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'schemathesis-'));
    console = await startConsole({ env: { MEMBER_CONFIG: writeMemberConfig() } });
  });
  afterAll(async () => {
    await console?.stop();
    rmSync(work, { recursive: true });
  });

  test('finds no answer that is not described, and no input that is taken though it is wrong', {
    timeout: (seconds + 120) * 1000,
  }, async () => {
    const { code, said } = await run();
    expect(code, said).toBe(0);
    expect(said).toMatch(/\d+ (?:generated|passed)/);
    const failures = console.log().filter(({ msg }) => msg === 'request failed');
    expect(failures).toEqual([]);
  });

  async function run(): Promise<{ code: number; said: string }> {
    const token = await apiToken(console);
    const child = spawn(
      join(cacheFolder, folder, 'bin/schemathesis'),
      [
        ...['--config-file', config, '--no-color', 'run', `${console.url}/api/openapi.json`],
        ...['--header', `Authorization: Bearer ${token}`, '--seed', seed, '--max-time', `${seconds}`],
        ...['--request-timeout', '10', '--rate-limit', 'auto', '--generation-database', 'none'],
        // After these the members answer no call any more.
        ...endings.flatMap((id) => ['--exclude-operation-id', id]),
      ],
      { cwd: work, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const exited = new Promise<number>((done) => child.once('close', (code) => done(code ?? -1)));
    const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
    return { code, said: `seed ${seed}\n${out}\n${err}` };
  }
});
