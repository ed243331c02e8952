/** Whether the address in a proof is the address that was called (RFC 9449 §4.3, check 9). */

/**
 * @param htu      as the proof says; its query and fragment do not count
 * @param called   the address of the call, without a query
 */
export function isSameTarget(htu: string, called: string): boolean {
  if (htu === called) return true;
  const [given, expected] = [plainForm(htu), plainForm(called)];
  return given !== undefined && given === expected;
}

/** One spelling of each address (RFC 3986 §6.2.2, §6.2.3); credentials in it stay, and so never fit. */
function plainForm(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  url.search = '';
  url.hash = '';
  return url.href.replace(/%[0-9a-f]{2}/gi, plainEscape);
}

function plainEscape(triplet: string): string {
  const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
  return /[A-Za-z0-9._~-]/.test(character) ? character : triplet.toUpperCase();
}
