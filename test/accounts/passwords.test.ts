import { describe, expect, test } from 'vitest';
import { createPasswords } from '../../console/accounts/passwords.ts';

const passwords = createPasswords({ minCharacters: 12, concurrency: 2, maxWaiting: 4 });
const account = (passwordHash: string) => ({ id: 'a1', passwordHash });
const check = (password: string) => passwords.check(password, ['gudrun.holm', 'gudrun@example.org']);

describe('what may be a password (S25)', () => {
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
    ['a sequence before a shorter number', 'abcdefghijkl1987!'],
    ['spaces', '                '],
    ['one of a breach, with a year', 'Scandinavian-1987'],
    ['one of another script typed on Latin keys', 'ghjcnjgfhjkm'],
    ['one that has no twelve characters, with a number', 'liverpool2026'],
    ['one that has no twelve characters, after a number', '1987!sunshine'],
    ['one that is said twice', 'Dragon!Dragon!'],
    ['one that is said three times', 'testtesttest2026'],
    ['two of the most common ones', 'secret-sunshine'],
    ['two of the most common ones, in disguise', '$ecretSunsh!ne1'],
  ])('%s is weak_password (S25)', async (_name, password) => {
    await expect(check(password)).rejects.toMatchObject({ problem: { code: 'weak_password', status: 400 } });
  });

  test.each([
    ['kkkkaaaakkkkaaaakkkkaaaa', 'it repeats the same few characters'],
    ['abcdefghijklmnop', 'its characters follow each other'],
    ['Gudrun-Console-1', 'it is made of your name, your address or words of this product'],
    ['Scandinavian1987', 'it is made of common passwords'],
  ])('the error of %s says that %s, and not the password (S25)', async (password, why) => {
    const detail = `This password is easy to guess: ${why}. A few unrelated words make a good one.`;
    await expect(check(password)).rejects.toMatchObject({ message: detail });
  });

  test.each([
    ['twelve lower-case letters', 'kuzvbqomdtrw'],
    ['a sentence', 'the tram was late again'],
    ['a sentence with the product in it', 'my console sings at dawn'],
    ['another script', 'пароль зимнего утра'],
    ['256 characters', 'k7hvQ2mZp0w-'.repeat(21).concat('x9yz')],
    ['only digits without an order', '830174926650'],
    ['a sequence before digits without an order', 'abc830174926650'],
    ['three words that are common by themselves', 'winter dragon guitar'],
    ['a common one in something longer', 'sunshine over the tram'],
  ])('%s is good, whatever it is composed of (S25)', async (_name, password) => {
    await expect(check(password)).resolves.toBeUndefined();
  });

  test('nothing is cut off, and the same characters typed otherwise are the same password (S25)', async () => {
    const long = `${'k7hvQ2mZp0w-'.repeat(21)}end!`;
    const hash = await passwords.hash(long);
    expect(await passwords.verify(account(hash), long)).toBe(true);
    expect(await passwords.verify(account(hash), long.slice(0, -1))).toBe(false);
    expect(await passwords.verify(account(hash), `${long.slice(0, -1)}?`)).toBe(false);
    const accented = await passwords.hash('caf\u00e9 caf\u00e9 caf\u00e9');
    expect(await passwords.verify(account(accented), 'cafe\u0301 cafe\u0301 cafe\u0301')).toBe(true);
  });

  test('without an account a verification fails after the same work (S28)', async () => {
    expect(await passwords.verify(undefined, 'whatever it may be')).toBe(false);
  });

  test('what cannot wait is refused at once (S26)', async () => {
    const work = Array.from({ length: 9 }, () => passwords.verify(undefined, 'whatever it may be'));
    const results = await Promise.allSettled(work);
    const rejected = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(rejected).toHaveLength(3);
    expect(rejected[0]).toMatchObject({
      problem: { code: 'busy', status: 503 },
      headers: { 'Retry-After': '2' },
    });
  });
});
