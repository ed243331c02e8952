import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import { registryOf, temporaryDirectory } from './support.ts';

interface KeyView {
  readonly id: string;
  readonly alg: string;
  readonly state: string;
}

test('looking at the keys of a new store makes none, and rotating makes them', async () => {
  const dataDir = join(temporaryDirectory(), 'data');
  await toolDone(['client', 'add', 'job'], { dataDir });
  const before = registryOf(dataDir);
  expect((await toolDone(['keys', 'list', '--json'], { dataDir })).json()).toEqual([]);
  expect(registryOf(dataDir)).toBe(before);

  await toolDone(['keys', 'rotate', '--now', '--yes'], { dataDir });
  const keys = (await toolDone(['keys', 'list', '--json'], { dataDir })).json<KeyView[]>();
  expect(keys.map(({ alg, state }) => `${alg} ${state}`)).toEqual([
    ...['RS256 current', 'ES256 current', 'EdDSA current'],
    ...['RS256 next', 'ES256 next', 'EdDSA next'],
  ]);
});

test('after a regular rotation an emergency leaves none of the earlier keys (S5)', async () => {
  const dataDir = join(temporaryDirectory(), 'data');
  await toolDone(['client', 'add', 'job'], { dataDir });
  const rotated = (await toolDone(['keys', 'rotate', '--json'], { dataDir })).json<{ keys: KeyView[] }>();
  const earlier = rotated.keys.map(({ id }) => id);
  expect(earlier.length).toBeGreaterThanOrEqual(6);
  await toolDone(['keys', 'rotate', '--now', '--yes'], { dataDir });
  const left = (await toolDone(['keys', 'list', '--json'], { dataDir })).json<KeyView[]>();
  expect(left.filter(({ id }) => earlier.includes(id))).toEqual([]);
});

test('without the encryption key encrypted keys are refused, and what needs no key works (S79)', async () => {
  const dataDir = join(temporaryDirectory(), 'data');
  const env = { CONSOLE_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  await toolDone(['client', 'add', 'job'], { dataDir, env });
  await toolDone(['keys', 'rotate'], { dataDir, env });
  const before = registryOf(dataDir);
  for (const args of [
    ['keys', 'list'],
    ['keys', 'rotate'],
    ['keys', 'rotate', '--now', '--yes'],
  ]) {
    const rejected = await runTool([...args, '--json'], { dataDir });
    expect([rejected.code, rejected.json().error]).toEqual([1, 'sealed']);
    expect(rejected.json().message).toContain('CONSOLE_ENCRYPTION_KEY');
  }
  expect(registryOf(dataDir)).toBe(before);
  expect((await toolDone(['client', 'list'], { dataDir })).stdout).toContain('job');
});
