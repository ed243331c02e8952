import { describe, expect, test } from 'vitest';
import { describeSettings, loadSettings, type SettingsError } from '../../console/settings/settings.ts';

const [a, b] = ['http://10.0.1.1:5701', 'http://10.0.2.1:5701'];
const set = { members: [a], username: 'orders', password: 'p&ss word' };
const noFile = () => {
  throw Object.assign(new Error('no file'), { code: 'ENOENT' });
};

function load(value: unknown, further: Readonly<Record<string, string>> = {}) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const env = { CONSOLE_MEMBERS: `${a},${b}`, CONSOLE_MEMBER_CREDENTIALS: text, ...further };
  return loadSettings({ env, readFile: noFile });
}

function problemsOf(value: unknown): readonly string[] {
  try {
    load(value);
  } catch (error) {
    return (error as SettingsError).problems;
  }
  throw new Error('was taken');
}

describe('credentials of single members', () => {
  test('are read, and shown to nobody', () => {
    const settings = load([set]);
    expect(settings.memberCredentials?.reveal()).toEqual([set]);
    const row = describeSettings(settings).find(({ name }) => name === 'CONSOLE_MEMBER_CREDENTIALS');
    expect(row?.value).toBe('[redacted]');
    expect(JSON.stringify(settings)).not.toContain('p&ss');
  });

  test('come from a file, or from console.yaml as a list', () => {
    const fromFile = loadSettings({
      env: { CONSOLE_MEMBERS: a, CONSOLE_MEMBER_CREDENTIALS_FILE: '/run/secrets/members' },
      readFile: () => `${JSON.stringify([set])}\n`,
    });
    const yaml = { members: [a], 'member-credentials': [set] };
    const fromYaml = loadSettings({ env: {}, yaml, readFile: noFile });
    expect(fromFile.memberCredentials?.reveal()).toEqual([set]);
    expect(fromYaml.memberCredentials?.reveal()).toEqual([set]);
  });

  test.each([
    ['no JSON', 'orders:secret-1', 'must be a JSON list'],
    ['no list', set, 'must be a JSON list'],
    ['no map in the list', ['orders'], 'entry 1 is something else'],
    ['no members', [{ ...set, members: [] }], 'entry 1 names no members'],
    ['no address', [set, { ...set, members: ['orders'] }], 'a member address in entry 2'],
    ['no password', [{ members: [a], username: 'x' }], 'lacks a username or a password'],
    ['a number as password', [{ ...set, password: 12 }], 'lacks a username or a password'],
    ['a further field', [{ ...set, pasword: 'x' }], 'entry 1 has a further field'],
    ['a member twice', [set, { ...set, username: 'stock' }], 'names a member twice'],
    ['a member that is none', [{ ...set, members: ['http://10.0.9.9:5701'] }], 'not in CONSOLE_MEMBERS'],
  ])('%s is refused without repeating it (S68)', (_name, value, sentence) => {
    const problems = problemsOf(value).join('\n');
    expect(problems).toContain(sentence);
    expect(problems).not.toMatch(/p&ss|secret-1|orders/);
  });

  test('members that are to be discovered may be named', () => {
    const settings = load([{ ...set, members: ['http://10.0.9.9:5701'] }], {
      CONSOLE_MEMBER_DISCOVERY: 'true',
    });
    expect(settings.memberCredentials?.reveal()).toHaveLength(1);
  });
});
