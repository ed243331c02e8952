/** What the audit trail says a change has changed. */
import { expect, test } from 'vitest';
import { changesBetween } from '../../console/operations/changes.ts';

test.each([
  ['nothing', { a: 1, b: ['x', 'y'] }, { a: 1, b: ['y', 'x'] }, undefined],
  ['a value', { a: 1, b: true }, { a: 2, b: true }, { a: { from: 1, to: 2 } }],
  [
    'a value that comes, and one that goes',
    { a: 1 },
    { b: 2 },
    { a: { from: 1, to: null }, b: { from: null, to: 2 } },
  ],
  ['a set', { a: ['x', 'y'] }, { a: ['z', 'y', 'z'] }, { a: { add: ['z'], remove: ['x'] } }],
  ['a set that was not there', { a: null }, { a: ['x'] }, { a: { from: null, to: ['x'] } }],
  ['a set that goes', { a: ['x'] }, { a: null }, { a: { from: ['x'], to: null } }],
  [
    'a set of objects',
    { a: [{ b: 1 }] },
    { a: [{ b: 1 }, { b: 2 }] },
    { a: { add: [{ b: 2 }], remove: [] } },
  ],
  ['an object', { a: { b: 1 } }, { a: { b: 2 } }, { a: { from: { b: 1 }, to: { b: 2 } } }],
  ['missing and null', {}, { a: null }, undefined],
  [
    'what is added',
    undefined,
    { a: 1, b: null, c: ['x'] },
    { a: { from: null, to: 1 }, c: { add: ['x'], remove: [] } },
  ],
  ['what is removed', { a: 1 }, undefined, { a: { from: 1, to: null } }],
])('%s', (_what, before, after, expected) => {
  expect(changesBetween(before, after)).toEqual(expected);
});
