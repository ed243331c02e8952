import { describe, expect, test } from 'vitest';
import { createPasswords } from '../../console/accounts/passwords.ts';

const passwords = createPasswords({ minCharacters: 12, concurrency: 2, maxWaiting: 4 });
const check = (password: string) => passwords.check(password, ['gudrun.holm', 'gudrun@example.org']);

describe('S25: what may be a password', () => {
  test.each([
    ['eleven characters', 'k7hvQ2mZp0w'],
    ['eleven characters of four bytes each', '😀😁😂🤣😃😄😅😆😉😊😋'],
    ['257 characters', 'k7hvQ2mZp0w-'.repeat(22).slice(0, 257)],
    ['a common one', 'qwertyuiop12'],
    ['a common one in capitals', 'QWERTYUIOP12'],
    ['a common one with signs between', 'letmein-letmein'],
    ['a common one in disguise', 'P@$$w0rd1234'],
    ['the word password and a year', 'Password2026!'],
    ['the product', 'ClusterConsole1'],
    ['the administrator', 'administrator12'],
    ['one character', 'aaaaaaaaaaaaaa'],
    ['three characters', 'abcabcabcabcabc'],
    ['the same four characters again and again', 'k7hvk7hvk7hvk7hv'],
    ['a sequence', 'abcdefghijklmnop'],
    ['a sequence backwards', '9876543210987654'],
    ['digits', '123456789012'],
    ['the user name', 'gudrun.holm.1'],
    ['the user name turned around', 'Holm-Gudrun-2026'],
    ['the address', 'gudrun@example.org1'],
    ['spaces', '                '],
  ])('S25: %s is weak_password', (_name, password) => {
    expect(() => check(password)).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ code: 'weak_password', status: 400 }) }),
    );
  });

  test.each([
    ['twelve lower-case letters', 'kuzvbqomdtrw'],
    ['a sentence', 'the tram was late again'],
    ['a sentence with the product in it', 'my console sings at dawn'],
    ['another script', 'пароль зимнего утра'],
    ['256 characters', 'k7hvQ2mZp0w-'.repeat(21).concat('x9yz')],
    ['only digits without an order', '830174926650'],
  ])('S25: %s is good, whatever it is composed of', (_name, password) => {
    expect(() => check(password)).not.toThrow();
  });

  test('S25: nothing is cut off, and the same characters typed otherwise are the same password', async () => {
    const long = `${'k7hvQ2mZp0w-'.repeat(21)}end!`;
    const hash = await passwords.hash(long);
    expect(await passwords.verify(hash, long)).toBe(true);
    expect(await passwords.verify(hash, long.slice(0, -1))).toBe(false);
    expect(await passwords.verify(hash, `${long.slice(0, -1)}?`)).toBe(false);
    const accented = await passwords.hash('caf\u00e9 caf\u00e9 caf\u00e9');
    expect(await passwords.verify(accented, 'cafe\u0301 cafe\u0301 cafe\u0301')).toBe(true);
  });

  test('S28: without an account a verification fails after the same work', async () => {
    expect(await passwords.verify(undefined, 'whatever it may be')).toBe(false);
  });

  test('S26: what cannot wait is refused at once', async () => {
    const work = Array.from({ length: 9 }, () => passwords.verify(undefined, 'whatever it may be'));
    const results = await Promise.allSettled(work);
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toHaveLength(3);
    expect(refused[0]).toMatchObject({
      problem: { code: 'busy', status: 503 },
      headers: { 'Retry-After': '2' },
    });
  });
});
