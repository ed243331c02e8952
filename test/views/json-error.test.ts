/** The editor's own reading of JSON: it finds an error wherever the parser of the language does, and says where it is. */
import { expect, test } from 'vitest';
import { jsonError } from '../../views/browser/editor/json-error.ts';

test.each([
  { text: '{"a": 1,}', kind: 'name', at: 8 },
  { text: '{"a" 1}', kind: 'colon', at: 5 },
  { text: '{a: 1}', kind: 'name', at: 1 },
  { text: "{'a': 1}", kind: 'name', at: 1 },
  { text: '{"a": }', kind: 'value', at: 6 },
  { text: '{"a": ]', kind: 'value', at: 6 },
  { text: '{"a": 1\n "b": 2}', kind: 'comma', at: 9, bracket: '}' },
  { text: '[1 2]', kind: 'comma', at: 3, bracket: ']' },
  { text: '[1, 2', kind: 'comma', at: 5, bracket: ']' },
  { text: '[1,]', kind: 'value', at: 3 },
  { text: '[01]', kind: 'comma', at: 2, bracket: ']' },
  { text: '[.5]', kind: 'value', at: 1 },
  { text: '[nul]', kind: 'value', at: 1 },
  { text: '["ab]', kind: 'quote', at: 1 },
  { text: '["a\nb"]', kind: 'quote', at: 1 },
  { text: '["a\tb"]', kind: 'character', at: 3 },
  { text: '["a\\x"]', kind: 'escape', at: 3 },
  { text: '["\\u12"]', kind: 'escape', at: 2 },
  { text: '{} {}', kind: 'rest', at: 3 },
  { text: ']', kind: 'value', at: 0 },
  { text: '', kind: 'value', at: 0 },
])('$text', ({ text, ...error }) => {
  expect(jsonError(text)).toMatchObject(error);
  expect(() => JSON.parse(text)).toThrow();
});

test('agrees with the parser of the language on what is JSON, and reads up to 64 KB and deep nesting', () => {
  const whole = JSON.stringify({
    id: -1.5e10,
    of: [true, false, null, {}, [], 'a"\\\u2028\n'],
    ü: { '': 0 },
  });
  const signs = [...'{}[]",:\\ue1.-+0 \n\tntx'];
  // Always the same texts.
  let seed = 1;
  const random = (most: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % most;
  };
  const disagreed: string[] = [];
  let broken = 0;
  for (let at = 0; at < 20_000; at++) {
    const from = random(whole.length);
    const text = whole.slice(0, from) + signs[random(signs.length)] + whole.slice(from + random(3));
    const isJson = parses(text);
    if (!isJson) broken += 1;
    if (isJson !== (jsonError(text) === undefined)) disagreed.push(text);
  }
  expect(disagreed).toEqual([]);
  expect(broken).toBeGreaterThan(10_000);
  const long = JSON.stringify({ text: 'x'.repeat(64 * 1024), deep: '[' });
  expect(jsonError(long)).toBeUndefined();
  expect(jsonError('['.repeat(100_000) + ']'.repeat(100_000))).toBeUndefined();
  expect(jsonError('['.repeat(100_000))).toMatchObject({ kind: 'value', at: 100_000 });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
