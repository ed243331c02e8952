/** A title says what a test shows; the numbers of the rules and faults that it goes by stand behind it, in brackets. */
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { type Source, sources } from './sources.ts';

/** One number or several and a colon, in a title or in a row that a title is made of. */
const numberFirst = /^[A-DS][1-9]\d{0,2}(?:(?:, ?| and |\/| )[A-DS][1-9]\d{0,2})*:\s/;

const files = sources.filter(({ path }) => /^test\/.*\.test\.ts$/.test(path));

test('no title begins with a number', () => {
  expect(files.length).toBeGreaterThan(200);
  expect(files.flatMap(numbered)).toEqual([]);
});

test.each([
  [`S${46}: is not signed`, true],
  [`B${9}, D${15}: is slower`, true],
  [`is not signed (S${46})`, false],
  ['SAML: a comment', false],
])('"%s" begins with one: %s', (title, isFound) => {
  expect(numberFirst.test(title)).toBe(isFound);
});

function numbered({ path, text }: Source): string[] {
  return textsIn(parseSync(path, text).program)
    .filter((said) => numberFirst.test(said))
    .map((said) => `${path}: ${said}`);
}

/** Each text and the beginning of each template; figures that a test prints are none of its titles. */
function textsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(textsIn);
  if (typeof node !== 'object' || node === null) return [];
  const { type, value, quasis } = node as Record<string, unknown>;
  if (type === 'CallExpression' && isPrinting(node)) return [];
  if (type === 'Literal' && typeof value === 'string') return [value];
  const first = type === 'TemplateLiteral' ? (quasis as { value: { raw: string } }[])[0]!.value.raw : [];
  return [first, Object.values(node).flatMap(textsIn)].flat();
}

function isPrinting(node: object): boolean {
  const { callee } = node as { callee: { property?: { name?: string } } };
  return ['info', 'write'].includes(String(callee.property?.name));
}
