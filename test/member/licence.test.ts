import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { expectJson, managedFile } from './management-support.ts';
import { empty, startTestMember } from './support.ts';

const path = '/svc/rest/license';
const key = (nodes: number, letter: string) => `Some Company#${nodes}Nodes#${letter.repeat(40)}`;
const infoOf = (text: string, maxNodeCount: number) => ({
  expiryDate: null,
  maxNodeCount,
  type: 0,
  companyName: null,
  ownerEmail: null,
  keyHash: createHash('sha256').update(text).digest('base64'),
});

function logged() {
  const lines: string[] = [];
  const add = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  return { lines, log: { debug: add, info: add, warn: add, error: add } };
}

describe('licence', () => {
  test('is none until one is set, and the key itself is never shown', async () => {
    const { lines, log } = logged();
    const { call } = await startTestMember(managedFile(), { log });
    expect(await call('GET', path)).toMatchObject(empty(404));
    expect(await call('HEAD', path)).toMatchObject(empty(404));

    const reply = await call('POST', path, { body: `dev&&${encodeURIComponent(key(20, 'a'))}` });
    expect(JSON.parse(reply.body)).toEqual({
      status: 'success',
      licenseInfo: infoOf(key(20, 'a'), 20),
      message: expect.stringMatching(/^License updated at run time - /),
    });
    const shown = await call('GET', path);
    expectJson(shown, { licenseInfo: infoOf(key(20, 'a'), 20) });
    expect(`${reply.body}${shown.body}${lines.join('')}`).not.toContain('a'.repeat(40));
  });

  test('is that of the configuration at the start', async () => {
    const { lines, log } = logged();
    const { call } = await startTestMember(managedFile(`license-key: "${key(3, 'b')}"`), { log });
    expectJson(await call('GET', path), { licenseInfo: infoOf(key(3, 'b'), 3) });
    expect(lines.join('')).not.toContain('b'.repeat(40));
  });

  test('a configuration with what is none is refused with its line, and without the text', async () => {
    const file = managedFile('license-key: "no key at all"');
    await expect(startTestMember(file)).rejects.toThrow(
      /^member\.yaml:\d+: svc\.license-key: expected <name>#[^\n]*$/,
    );
    await expect(startTestMember(file)).rejects.not.toThrow('no key at all');
  });

  test.each([
    ['nothing', ''],
    ['a word', 'licence'],
    ['no nodes', key(0, 'a')],
    ['too many digits', `A#${'9'.repeat(9)}Nodes#${'a'.repeat(40)}`],
    ['a short tail', 'A#1Nodes#abc'],
    ['a line break', `A\n#1Nodes#${'a'.repeat(40)}`],
    ['what is too long', key(1, 'a').padEnd(5000, 'a')],
    ['a fourth part', `${key(1, 'a')}#b`],
  ])('%s is no key: 500, and the one before stays', async (_name, text) => {
    const { lines, log } = logged();
    const { call } = await startTestMember(managedFile(`license-key: "${key(3, 'b')}"`), { log });
    expect(await call('POST', path, { body: `dev&&${encodeURIComponent(text)}` })).toMatchObject(empty(500));
    expectJson(await call('GET', path), { licenseInfo: infoOf(key(3, 'b'), 3) });
    if (text !== '') expect(lines.join('')).not.toContain(JSON.stringify(text).slice(1, -1));
  });
});
