/** Logos from files that somebody sends: what is stored is a picture, and nothing that runs, loads or links (S51). */
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { InvalidLogoError } from '../../console/installation/logo/picture.ts';
import { logoLimit, safeLogo } from '../../console/installation/logo/safe-logo.ts';

const svg = (inner: string, head = 'viewBox="0 0 64 32"') =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${head}>${inner}</svg>`,
  );
const textOf = async (bytes: Buffer) => (await safeLogo(bytes)).bytes.toString();

describe('an SVG', () => {
  test('keeps shapes, colours, text and what refers to the same file', async () => {
    const inner =
      '<defs><linearGradient id="a"><stop offset="0" stop-color="#f00"></stop></linearGradient></defs>' +
      '<path d="M0 0L10,10z" fill="url(#a)"></path><use href="#b" x="1"></use><text x="1" y="2">A &amp; B</text>';
    const { mediaType, bytes, width, height } = await safeLogo(svg(inner));
    expect([mediaType, width, height]).toEqual(['image/svg+xml', 64, 32]);
    expect(bytes.toString()).toBe(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 32">${inner}</svg>`,
    );
  });

  test.each([
    ['a script', '<script>alert(1)</script>'],
    ['a script of another name space', '<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>'],
    ['an event', '<path onload="alert(1)" d="M0 0"/>'],
    [
      'HTML',
      '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="x"/></body></foreignObject>',
    ],
    ['a link', '<a href="javascript:alert(1)"><path d="M0 0"/></a>'],
    ['a picture from elsewhere', '<image href="https://evil.example/x.png"/>'],
    ['a shape from elsewhere', '<use xlink:href="https://evil.example/x.svg#y"/>'],
    ['a shape from data', '<use href="data:image/svg+xml,x#y"/>'],
    ['a colour from elsewhere', '<path d="M0 0" fill="url(https://evil.example/#x)"/>'],
    ['a colour from elsewhere without a scheme', '<path d="M0 0" fill="url(//evil.example/#x)"/>'],
    ['a colour by an escape', '<path d="M0 0" fill="u\\72l(https://evil.example)"/>'],
    ['a style sheet', '<style>@import url(https://evil.example)</style>'],
    ['a style', '<path d="M0 0" style="background:url(https://evil.example)"/>'],
    [
      'an animation',
      '<animate attributeName="href" to="javascript:alert(1)"/><set attributeName="onload" to="alert(1)"/>',
    ],
    ['an instruction', '<?xml-stylesheet href="https://evil.example"?>'],
    ['a comment', '<!-- <script>alert(1)</script> -->'],
    ['a base', '<path xml:base="https://evil.example" d="M0 0"/>'],
  ])('loses %s', async (_what, inner) => {
    const text = await textOf(svg(inner));
    expect(text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 64 32">.*<\/svg>$/s);
    expect(text.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
      /script|alert|evil|data:|https?:|\bon\w+=|style|animate|<set|foreign|<a |\?xml|url\(/i,
    );
  });

  test('stays text where it is text', async () => {
    const text = await textOf(svg('<text><![CDATA[</text><script>alert(1)</script>]]></text>'));
    expect(text).toContain('<text>&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;</text>');
  });

  test.each([
    [
      'entities',
      Buffer.from('<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>'),
    ],
    ['no name space', Buffer.from('<svg viewBox="0 0 1 1"></svg>')],
    ['no size', svg('', '')],
    ['a size of nothing', svg('', 'viewBox="0 0 0 5"')],
    ['a shape that fits no bar', svg('', 'viewBox="0 0 900 5"')],
    ['no end', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><g>')],
    ['a depth of thousands', svg(`${'<g>'.repeat(9_000)}${'</g>'.repeat(9_000)}`)],
    ['thousands of shapes', svg('<g/>'.repeat(9_000))],
    ['bytes that are no UTF-8', Buffer.concat([svg('<text>'), Buffer.from([0xff])])],
  ])('with %s is refused', async (_what, bytes) => {
    await expect(safeLogo(bytes)).rejects.toThrow(InvalidLogoError);
  });
});

function chunk(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body, Buffer.alloc(4)]);
}

function png(width: number, height: number, ...more: readonly Buffer[]): Buffer {
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', size),
    ...more,
    chunk('IDAT', deflateSync(Buffer.alloc(width + 1))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('a PNG', () => {
  test('keeps its picture, and loses text, places and what follows its end', async () => {
    const plain = png(64, 32);
    const full = png(64, 32, chunk('tEXt', Buffer.from('Author\0Ada')), chunk('eXIf', Buffer.from('here')));
    const picture = await safeLogo(Buffer.concat([full, Buffer.from('<script>')]));
    expect(picture).toEqual({ mediaType: 'image/png', bytes: plain, width: 64, height: 32 });
  });

  test.each([
    ['cut off', png(64, 32).subarray(0, 40)],
    ['without a size', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['as wide as a wall', png(5_000, 3_000)],
    ['of no width', png(0, 10)],
    [
      'that says it is longer than it is',
      Buffer.concat([
        png(4, 4).subarray(0, 33),
        Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]),
      ]),
    ],
  ])('%s is refused', async (_what, bytes) => {
    await expect(safeLogo(bytes)).rejects.toThrow(InvalidLogoError);
  });
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a GIF', Buffer.from('GIF89a')],
  ['HTML', Buffer.from('<!doctype html><svg></svg>')],
  ['more than may be', Buffer.concat([svg(''), Buffer.alloc(logoLimit, 0x20)])],
])('%s is no logo', async (_what, bytes) => {
  await expect(safeLogo(bytes)).rejects.toThrow(InvalidLogoError);
});
