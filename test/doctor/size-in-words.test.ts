import { expect, test } from 'vitest';
import { sizeInWords } from '../../platform/files/size-in-words.ts';

const gibibyte = 1024 ** 3;

test.each([
  [0, '0 KiB'],
  [1, '0 KiB'],
  [1_536, '2 KiB'],
  [1_048_575, '1 MiB'],
  [200 * 1024 ** 2, '200 MiB'],
  [1.44 * gibibyte, '1.4 GiB'],
  [2 * gibibyte, '2 GiB'],
  [73.1 * gibibyte, '73 GiB'],
  [1023.9 * gibibyte, '1 TiB'],
  [5_000 * 1024 * gibibyte, '5000 TiB'],
])('%d bytes are %s', (bytes, words) => expect(sizeInWords(bytes)).toBe(words));
