/** An id that follows from a name is the same, whether the browser makes it while somebody types or the server afterwards. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { idFrom } from '../../console/pages/access/clients/client-changes.ts';

const script = readFileSync(new URL('../../views/static/forming.js', import.meta.url), 'utf8');
const source = /^function idFrom\(name\) \{\n[\s\S]*?^\}/m.exec(script)![0];
const idInBrowser = new Function(`${source}; return idFrom;`)() as typeof idFrom;

test.each([
  ['Billing', 'billing'],
  ['Über große Straßen', 'uber-grosse-strassen'],
  ['  two  words -- and.dots_ ', 'two-words-and-dots'],
  ['Ⅷ ﬁne', 'viii-fine'],
  ['عميل 7', '7'],
  ['🗝️', ''],
  ['', ''],
  [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
])('%j gives %j', (name, id) => {
  expect([idFrom(name), idInBrowser(name)]).toEqual([id, id]);
});
