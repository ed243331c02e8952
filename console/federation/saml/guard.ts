/**
 * What a SAML message must pass before any XML parser sees it (S48): parsers are where entity bombs,
 * external entities and parser disagreements live, so nothing that needs them comes this far.
 */
import { inflateRawSync } from 'node:zlib';
import { FederationError } from '../connector.ts';

/** Of the decoded, inflated XML. */
export const maxXmlBytes = 256 * 1024;

/**
 * The XML of a message that came by HTTP-POST (SAML Bindings §3.5.4).
 *
 * @param encoded  the form field as received: base64, line breaks allowed
 * @throws {FederationError} 400, or 403 for a comment
 */
export function readPostedMessage(encoded: string): string {
  return checkedText(decodeBase64(encoded), { comments: 'refused' });
}

/**
 * The XML of a message that came by HTTP-Redirect (SAML Bindings §3.4.4.1: raw DEFLATE, then base64).
 * Inflating stops at the limit, whatever the packed length promises.
 *
 * @throws {FederationError} 400, or 403 for a comment
 */
export function readRedirectedMessage(encoded: string): string {
  return checkedText(inflate(decodeBase64(encoded)), { comments: 'refused' });
}

/**
 * A metadata document as an administrator handed it in. Comments are common there, and harmless:
 * nothing in it is believed for being signed.
 *
 * @throws {FederationError} 400
 */
export function checkMetadataText(xml: string): string {
  return checkedText(Buffer.from(xml), { comments: 'allowed' });
}

/**
 * What came out of an encrypted assertion: nobody has looked at it before.
 *
 * @throws {FederationError} 400, or 403 for a comment
 */
export function checkDecryptedText(xml: string): string {
  return checkedText(Buffer.from(xml), { comments: 'refused' });
}

function decodeBase64(encoded: string): Buffer {
  const packed = encoded.replaceAll(/[\r\n]/g, '');
  if (packed.length > Math.ceil(maxXmlBytes / 3) * 4) throw malformed('is too long');
  if (packed === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(packed) || packed.length % 4 !== 0) {
    throw malformed('is not base64');
  }
  return Buffer.from(packed, 'base64');
}

function inflate(packed: Buffer): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: maxXmlBytes });
  } catch (cause) {
    throw malformed('does not inflate to a message of permitted length', cause);
  }
}

function checkedText(bytes: Buffer, { comments }: { readonly comments: 'allowed' | 'refused' }): string {
  if (bytes.length > maxXmlBytes) throw malformed('is too long');
  const xml = decodeUtf8(bytes);
  for (const [, declaration] of xml.matchAll(/<!(--|\[CDATA\[)?/g)) {
    // A document type, an entity, a notation: no SAML message has a use for one.
    if (declaration === undefined) throw malformed('declares a document type or entities');
    // Signed bytes leave comments out: `admin<!---->.evil` must not be one name here and another there.
    if (declaration === '--' && comments === 'refused') {
      throw new FederationError(403, 'The answer of the identity provider contains comments');
    }
    if (declaration === '[CDATA[') throw malformed('contains character data sections');
  }
  if (/<\?(?!xml\s)/.test(xml)) throw malformed('contains processing instructions');
  if (/&(?!(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)/.test(xml)) {
    throw malformed('refers to entities');
  }
  return xml;
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw malformed('is not UTF-8', cause);
  }
}

function malformed(reason: string, cause?: unknown): FederationError {
  return new FederationError(400, `The message of the identity provider ${reason}`, {
    cause,
    code: 'invalid_request',
  });
}
