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
  { name: 'a document type (S48)', text: '<!DOCTYPE a><a/>', status: 400 },
  { name: 'a document type in small letters (S48)', text: '<!doctype a><a/>', status: 400 },
  { name: 'an entity that is declared (S48)', text: '<!ENTITY x "y"><a/>', status: 400 },
  { name: 'an entity that is used (S48)', text: '<a>&x;</a>', status: 400 },
  { name: 'a lone ampersand (S48)', text: '<a>a & b</a>', status: 400 },
  { name: 'a parameter entity in an attribute (S48)', text: '<a b="&x.y;"/>', status: 400 },
  { name: '256 KiB and one byte (S48)', text: `<a>${'x'.repeat(maxXmlBytes - 6)}</a>`, status: 400 },
  { name: 'a small message that inflates to 4 MiB (S48)', text: Buffer.alloc(4 * 1024 * 1024), status: 400 },
  { name: 'a comment (S46)', text: '<a>ro<!-- -->ot</a>', status: 403 },
  { name: 'character data sections (S46)', text: '<a><![CDATA[<b/>]]></a>', status: 400 },
  { name: 'a processing instruction (S46)', text: '<a><?x y?></a>', status: 400 },
  { name: 'bytes that are not UTF-8', text: Buffer.from([0x3c, 0x61, 0xff]), status: 400 },
  { name: 'UTF-16', text: Buffer.from('\uFEFF<!DOCTYPE a><a/>', 'utf16le'), status: 400 },
])('refuses $name before any parser', ({ text, status }) => {
  const rejection = expect.objectContaining({ name: 'FederationError', status });
  expect(() => readPostedMessage(posted(text))).toThrow(rejection);
  expect(() => readRedirectedMessage(redirected(text))).toThrow(rejection);
});

test.each(['', 'a', '====', 'PGEvPg==PGEvPg==', 'PGE*Pg=='])('refuses %j as base64', (encoded) => {
  expect(() => readPostedMessage(encoded)).toThrow('base64');
});

test('metadata may contain comments, and nothing else that a message may not', () => {
  expect(checkMetadataText('<a><!-- who --></a>')).toContain('who');
  expect(() => checkMetadataText('<!DOCTYPE a><a/>')).toThrow('document type');
  expect(() => checkMetadataText('<a>&x;</a>')).toThrow('entities');
});
