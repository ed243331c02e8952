const form = /^[\x20-\x22\x24-\x7e]{1,200}#([1-9]\d{0,5})Nodes#[A-Za-z0-9]{16,512}$/;

/**
 * How many members a licence key is for, by its form `<name>#<n>Nodes#<letters and digits>`, which is all
 * that can be checked of it without the vendor; `undefined` for what is no key.
 */
export function nodeCountOf(key: string): number | undefined {
  const count = form.exec(key)?.[1];
  return count === undefined ? undefined : Number(count);
}
