import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  checkMetadataText,
  maxXmlBytes,
  readPostedMessage,
  readRedirectedMessage,
} from '../../console/federation/saml/guard.ts';

const posted = (text: string | Buffer) => Buffer.from(text).toString('base64');
const redirected = (text: string | Buffer) => deflateRawSync(text).toString('base64');

test('gives back what was sent, by either binding and with line breaks in the base64', () => {
  const xml = '<?xml version="1.0"?><a b="&quot;&#10;">Grüße &amp; mehr</a>';
  expect(readPostedMessage(posted(xml).replace(/.{20}/g, '$&\r\n'))).toBe(xml);
  expect(readRedirectedMessage(redirected(xml))).toBe(xml);
});

test('takes exactly 256 KiB', () => {
  const xml = `<a>${'x'.repeat(maxXmlBytes - 7)}</a>`;
  expect(readPostedMessage(posted(xml))).toHaveLength(maxXmlBytes);
  expect(readRedirectedMessage(redirected(xml))).toHaveLength(maxXmlBytes);
});

test.each([
  { name: 'S48: a document type', text: '<!DOCTYPE a><a/>', status: 400 },
  { name: 'S48: a document type in small letters', text: '<!doctype a><a/>', status: 400 },
  { name: 'S48: an entity that is declared', text: '<!ENTITY x "y"><a/>', status: 400 },
  { name: 'S48: an entity that is used', text: '<a>&x;</a>', status: 400 },
  { name: 'S48: a lone ampersand', text: '<a>a & b</a>', status: 400 },
  { name: 'S48: a parameter entity in an attribute', text: '<a b="&x.y;"/>', status: 400 },
  { name: 'S48: 256 KiB and one byte', text: `<a>${'x'.repeat(maxXmlBytes - 6)}</a>`, status: 400 },
  { name: 'S48: a small message that inflates to 4 MiB', text: Buffer.alloc(4 * 1024 * 1024), status: 400 },
  { name: 'S46: a comment', text: '<a>ro<!-- -->ot</a>', status: 403 },
  { name: 'S46: character data sections', text: '<a><![CDATA[<b/>]]></a>', status: 400 },
  { name: 'S46: a processing instruction', text: '<a><?x y?></a>', status: 400 },
  { name: 'bytes that are not UTF-8', text: Buffer.from([0x3c, 0x61, 0xff]), status: 400 },
  { name: 'UTF-16', text: Buffer.from('\uFEFF<!DOCTYPE a><a/>', 'utf16le'), status: 400 },
])('refuses $name before any parser', ({ text, status }) => {
  const refusal = expect.objectContaining({ name: 'FederationError', status });
  expect(() => readPostedMessage(posted(text))).toThrow(refusal);
  expect(() => readRedirectedMessage(redirected(text))).toThrow(refusal);
});

test.each(['', 'a', '====', 'PGEvPg==PGEvPg==', 'PGE*Pg=='])('refuses %j as base64', (encoded) => {
  expect(() => readPostedMessage(encoded)).toThrow('base64');
});

test('metadata may contain comments, and nothing else that a message may not', () => {
  expect(checkMetadataText('<a><!-- who --></a>')).toContain('who');
  expect(() => checkMetadataText('<!DOCTYPE a><a/>')).toThrow('document type');
  expect(() => checkMetadataText('<a>&x;</a>')).toThrow('entities');
});
