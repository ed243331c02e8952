/** Stands for our own address while a path is parsed; reserved, so no real link can name it (RFC 6761 §6.4). */
const own = new URL('http://own.invalid');

/**
 * Lets an address into `href` or `action` when following it can only open a page: an
 * `http:` or `https:` address, or a path of this console. Anything else (`javascript:`,
 * `data:`, `//host`, `/\host`, a path with control characters) is refused.
 *
 * @returns the address in its normal form, or `undefined` when it is refused
 */
export function safeHref(href: string | undefined): string | undefined {
  if (href === undefined || !isPrintable(href)) return undefined;
  if (href.startsWith('/')) return ownPath(href);
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return undefined;
  return new URL(href).href;
}

/** A browser drops tabs and line breaks before it reads an address, so `/<tab>/host` would leave the site. */
function isPrintable(href: string): boolean {
  return /^[\x21-\x7e\u00a0-\uffff]+$/.test(href);
}

function ownPath(path: string): string | undefined {
  if (!URL.canParse(path, own)) return undefined;
  const url = new URL(path, own);
  return url.origin === own.origin ? url.pathname + url.search + url.hash : undefined;
}
