import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { assetPath, staticFiles } from '../../views/static.ts';
import { built } from '../helpers/built.ts';
import { parseMarkup } from './markup.ts';
import { pageNames, usualPage } from './pages.ts';

test('every file has its type, its bytes and a validator of its own', async () => {
  const files = await staticFiles();
  // Those within the explorer's sheet are named for what is in them.
  const names = [...files.keys()].filter((name) => !name.startsWith('picture-'));
  expect(names.sort()).toEqual([
    'asking.js',
    'copy.js',
    'dark.css',
    'editing.js',
    'editor.js',
    'explorer.css',
    'explorer.js',
    'favicon.svg',
    'forming.js',
    'keys.js',
    'live.js',
    'management.css',
    'mark.svg',
    'outcome.js',
    'over.js',
    'plots.css',
    'plots.js',
    'rings.svg',
    'selection.js',
    'style.css',
    'times.js',
    'undo.js',
  ]);
  expect(files.get('style.css')?.type).toBe('text/css; charset=utf-8');
  expect(files.get('mark.svg')?.type).toBe('image/svg+xml; charset=utf-8');
  const source = await readFile(new URL('../../views/static/style.css', import.meta.url));
  expect(files.get('style.css')?.body.equals(source)).toBe(true);
  expect(new Set([...files.values()].map(({ etag }) => etag)).size).toBe(files.size);
});

test('no sheet has a picture within it, which the content policy stops: each is a file (S51)', async () => {
  const files = await staticFiles();
  const sheets = [...files].filter(([name]) => name.endsWith('.css'));
  const wanted = sheets.flatMap(([, { body }]) => [...body.toString().matchAll(/url\("?([^")]+)/g)]);
  expect(wanted.length).toBeGreaterThan(10);
  for (const [, address] of wanted) {
    const name = /^\/static\/([\w.-]+)(?:\?|$)/.exec(address!)?.[1];
    expect([address, files.has(name ?? '')]).toEqual([address, true]);
  }
});

test('an address carries the validator, and a file that is not there has no address', async () => {
  const etag = (await staticFiles()).get('style.css')?.etag;
  expect(etag).toMatch(/^"[\w-]{16}"$/);
  expect(assetPath('style.css')).toBe(`/static/style.css?v=${etag?.slice(1, -1)}`);
  expect(() => assetPath('../static.ts')).toThrow('has no ../static.ts');
});

test('the built program finds the same files', async () => {
  const other: { staticFiles: typeof staticFiles } = await import(built('views/static.ts'));
  expect([...(await other.staticFiles()).keys()]).toEqual([...(await staticFiles()).keys()]);
});

test.each(pageNames)(
  'every class that the page "%s" uses is in a style sheet that it loads',
  async (name) => {
    const files = await staticFiles();
    const page = parseMarkup(usualPage(name));
    const sheets = page.find('link').flatMap(({ attributes }) => {
      const file = /^\/static\/([\w.]+\.css)\?/.exec(attributes.get('href') ?? '')?.[1];
      return file === undefined ? [] : [files.get(file)?.body.toString() ?? ''];
    });
    const used = page.elements.flatMap(({ attributes }) => attributes.get('class')?.split(' ') ?? []);
    const missing = [...new Set(used)].filter(
      (each) => !sheets.some((css) => new RegExp(`\\.${each}(?![\\w-])`).test(css)),
    );
    expect(missing).toEqual([]);
  },
);
