/** Reading SAML documents by namespace and place, never by searching for a name anywhere. */
// The parser that the signature check itself uses: two parsers could disagree about one document.
import { DOMParser } from '@xmldom/xmldom';
import { FederationError } from '../connector.ts';

export const namespaces = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
} as const;

export const success = 'urn:oasis:names:tc:SAML:2.0:status:Success';

export type Namespace = keyof typeof namespaces;

/**
 * The root element of a text that has passed saml-guard.
 *
 * @param status  what a text that is not well formed, or has a second root, deserves: 400 as a form, 403 as a proof (S46)
 * @throws {FederationError}
 */
export function parseRoot(xml: string, status: 400 | 403): Element {
  const roots = elementsOf(parse(xml, status));
  if (roots.length !== 1) {
    throw new FederationError(status, 'The message of the identity provider has not exactly one root');
  }
  return roots[0]!;
}

/** The parser mends what it can, and says so: what needed that could be read otherwise elsewhere. */
function parse(xml: string, status: 400 | 403): Document {
  const errors: unknown[] = [];
  const error = (text: unknown) => errors.push(text);
  const parser = new DOMParser({ locator: {}, errorHandler: { error, fatalError: error } });
  try {
    const document = parser.parseFromString(xml, 'text/xml');
    if (errors.length === 0) return document;
  } catch (cause) {
    errors.push(cause);
  }
  throw new FederationError(status, 'The message of the identity provider is not well-formed XML', {
    cause: errors[0],
  });
}

export function isElement(element: Element, namespace: Namespace, name: string): boolean {
  return element.namespaceURI === namespaces[namespace] && element.localName === name;
}

export function childrenOf(parent: Element, namespace: Namespace, name: string): Element[] {
  return elementsOf(parent).filter((element) => isElement(element, namespace, name));
}

export function elementsOf(parent: Node): Element[] {
  return Array.from(parent.childNodes).filter((node) => node.nodeType === 1) as Element[];
}

/** Everywhere beneath, in any namespace: what must not hide may not hide under another prefix either. */
export function countAnywhere(root: Element, name: string): number {
  const beneath = root.getElementsByTagNameNS('*', name).length;
  return beneath + (root.localName === name ? 1 : 0);
}

/** @returns undefined for an attribute that is absent or empty */
export function attributeOf(element: Element, name: string): string | undefined {
  return element.getAttribute(name) || undefined;
}

export function textOf(element: Element | undefined): string {
  return element?.textContent?.trim() ?? '';
}

/** SAML Core §1.3.3: UTC only, so no time zone can be misread. @returns epoch milliseconds */
export function instantOf(text: string | undefined, invalid: (reason: string) => Error): number {
  const isUtc = text !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);
  const epochMs = isUtc ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(epochMs)) throw invalid('contains a time that cannot be read');
  return epochMs;
}

/** The outermost codes of a response (Core §3.2.2): one, unless it is malformed. */
export function statusCodesOf(response: Element): Element[] {
  return childrenOf(response, 'protocol', 'Status').flatMap((status) =>
    childrenOf(status, 'protocol', 'StatusCode'),
  );
}

export function isSuccess(code: Element): boolean {
  return code.getAttribute('Value') === success;
}
