import { describe, expect, test } from 'vitest';
import { renderLogin } from '../../views/login.tsx';
import { type Markup, parseMarkup } from './markup.ts';
import { fillPage, pageNames, usualPage } from './pages.ts';

const hostileTexts = [
  { name: 'a script', text: '<script>alert(1)</script>' },
  { name: 'a way out of an attribute', text: '"><img src=x onerror=alert(1)>' },
  { name: 'a way out of a single-quoted attribute', text: "' onmouseover='alert(1)" },
  { name: 'the end of the title', text: '</title></head><body onload="alert(1)">' },
  { name: 'a comment', text: '<!-- --!><svg onload=alert(1)>' },
  { name: 'line breaks and a header', text: 'a\r\nSet-Cookie: sid=1\r\n\r\n<b>b</b>' },
  { name: 'entities', text: '&lt;script&gt; &#60;b&#62; &amp;' },
  { name: 'a template and a style', text: '<template><style>*{display:none}</style>' },
];

describe.each(hostileTexts)('$name in every field (S52)', ({ text }) => {
  test.each(pageNames)('is text and nothing else on the page "%s"', (name) => {
    const usual = parseMarkup(usualPage(name));
    const hostile = parseMarkup(fillPage(name, { text, href: '/somewhere' }));
    expect(outline(hostile)).toEqual(outline(usual));
    expect(occurrences(hostile, text)).toBe(occurrences(usual, 'plain'));
  });
});

const hostileHrefs = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'blob:http://localhost/1',
  'file:///etc/passwd',
  '//evil.example/',
  '/\\evil.example/',
  '/\t/evil.example/',
  '/\r\n/evil.example/',
  '\\\\evil.example/',
  'http:evil.example',
  'evil.example',
  '',
];

describe.each(hostileHrefs)('the address %j in every link (S52)', (href) => {
  test.each(pageNames)('is no link on the page "%s"', (name) => {
    const usual = hrefs(parseMarkup(usualPage(name)));
    const hostile = hrefs(parseMarkup(fillPage(name, { text: 'plain', href })));
    expect(hostile).toEqual(usual.filter((each) => each !== '/somewhere'));
  });

  test('is refused as the target of a form', () => {
    expect(() => renderLogin({ action: href, csrf: 'c' })).toThrow('a form needs a path');
  });
});

test.each([
  ['/', '/'],
  ['/login?to=%2F%2Fa#b', '/login?to=%2F%2Fa#b'],
  ['http://localhost:9021/', 'http://localhost:9021/'],
  ['HTTPS://Dashboard.example.com/a?b="c"', 'https://dashboard.example.com/a?b=%22c%22'],
])('the address %j is a link (S52)', (href, shown) => {
  const page = parseMarkup(fillPage('logged out', { text: 'plain', href }));
  expect(page.find('a').map((link) => link.attributes.get('href'))).toEqual([shown, shown]);
});

/** Tags with the names of their attributes: what must not change, whatever the texts are. */
function outline({ elements }: Markup): readonly string[] {
  return elements.map(({ tag, attributes }) => [tag, ...attributes.keys()].join(' '));
}

/** In how many texts and attribute values `text` stands as it was given. */
function occurrences({ elements }: Markup, text: string): number {
  const values = elements.flatMap((element) => [element.text, ...element.attributes.values()]);
  return values.filter((value) => value.includes(text) || decoded(value).includes(text)).length;
}

/** A link names what it leads to in percent-encoding. */
function decoded(value: string): string {
  return value.replace(/(?:%[0-9A-F]{2})+/g, (encoded) => decodeURIComponent(encoded));
}

function hrefs(page: Markup): readonly (string | undefined)[] {
  return page.find('a').map((link) => link.attributes.get('href'));
}
