import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { builtInConfig } from '../../member/config/built-in-config.ts';
import { memberSection } from '../../member/config/config-schema.ts';
import { loadMemberConfig } from '../../member/config/load.ts';
import { shapeOf } from '../../member/config/schema-shape.ts';
import { empty, startTestMember } from './support.ts';

const run = promisify(execFile);
const document = readFileSync(new URL('../../docs/member.md', import.meta.url), 'utf8');
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
);

describe('docs/member.md', () => {
  test.skipIf(!hasCurl)(
    'each curl line answers what is written behind it (skipped without curl)',
    async () => {
      const file = [...document.matchAll(/```yaml\n([\s\S]*?)```/g)][0]![1]!;
      const start = () => startTestMember(file, { log: pino({ level: 'silent' }, { write() {} }) });
      const { address } = await start();
      const lines = [...document.matchAll(/^(curl .*\S) +# (\d{3})$/gm)];
      expect(lines.length).toBeGreaterThanOrEqual(25);
      for (const [, command, status] of lines) {
        const pasted = command!
          // A member that is shut down answers no other line.
          .replace('http://127.0.0.1:5701', command!.includes('Shutdown') ? (await start()).address : address)
          .replace(/^curl/, 'curl -s --max-time 10');
        const { stdout } = await run('sh', ['-c', pasted]);
        expect(stdout, command).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      }
    },
  );

  test('its configuration is a valid one, and its table of keys has the built-in defaults', () => {
    const { limits, port, clusterName } = builtInConfig();
    const rows = new Map(
      [...document.matchAll(/^\| `([\w.<>-]+)` \| `?([^`|]+?)`?(?: \([^|]*\))? \|/gm)].map(
        ([, key, value]) => [key, value],
      ),
    );
    expect(rows.get('cluster-name')).toBe(clusterName);
    expect(rows.get('network.port.port')).toBe(String(port.port));
    expect(rows.get('network.port.port-count')).toBe(String(port.portCount));
    expect(rows.get('limits.body-bytes')).toBe(String(limits.bodyBytes));
    expect(rows.get('limits.key-bytes')).toBe(String(limits.keyBytes));
    expect(rows.get('limits.memory-bytes')).toBe(String(limits.memoryBytes));
    expect(rows.get('limits.poll-seconds')).toBe(String(limits.pollSeconds));
    expect(rows.get('limits.waiters-per-queue')).toBe(String(limits.waitersPerQueue));
    expect(rows.get('limits.waiters')).toBe(String(limits.waiters));

    const xml = /```xml\n([\s\S]*?)```/.exec(document)![1]!;
    expect(loadMemberConfig(xml, { file: 'member.xml' })).toMatchObject({ notices: [], clusterName: 'dev' });

    // The table has the keys that the reader of the file takes, no more and no fewer. Those of the
    // advanced network's ports are told of in one row each, former names in a sentence.
    const keys = keysOf(memberSection).filter((key) => !/hot-restart|config\.port\./.test(key));
    const reported = [...rows.keys()].filter((key) => !/config\.port\./.test(key!));
    expect(reported.sort()).toEqual(keys.filter((key) => !key.startsWith('advanced-network.join.')).sort());
  });

  test.each(['queues/q/-1', 'queues/q/SIZE'])(
    'its table of differences does not leave out that %s is 400 (S72)',
    async (path) => {
      const { call } = await startTestMember();
      await call('POST', '/svc/rest/queues/q', { body: 'item' });
      expect(await call('GET', `/svc/rest/${path}`)).toMatchObject(empty(400));
      expect(await call('GET', '/svc/rest/queues/q/size')).toMatchObject({ status: 200, body: '1' });
      const table = /## Where it differs from the real engine\n([\s\S]*?)\n## /.exec(document)![1]!;
      const rows = table.split('\n').filter((row) => row.startsWith('| '));
      expect(rows.filter((row) => row.includes(`\`/${path}\``) && row.includes('400'))).toHaveLength(1);
    },
  );
});

/** Every key that has a value, with the names and positions that a file chooses left open. */
function keysOf(schema: z.ZodType, key = ''): readonly string[] {
  const shape = shapeOf(schema);
  const under = (step: string, inner: z.ZodType) => keysOf(inner, key === '' ? step : `${key}.${step}`);
  if (shape.kind === 'section') {
    return Object.entries(shape.fields).flatMap(([step, inner]) => under(step, inner));
  }
  if (shape.kind === 'named')
    return under(key.endsWith('endpoint-groups') ? '<GROUP>' : '<name>', shape.value);
  if (shape.kind === 'list' && shapeOf(shape.item).kind === 'section') return under('<n>', shape.item);
  return [key];
}
