import { describe, expect, test } from 'vitest';
import { renderLoggedOut } from '../../views/logged-out.tsx';
import { assetPath, staticFiles } from '../../views/static.ts';
import { parseMarkup } from './markup.ts';
import { pageNames, usualPage } from './pages.ts';

const active = ['script', 'style', 'iframe', 'object', 'embed', 'base', 'template', 'svg', 'math'];

describe.each(pageNames)('the page "%s"', (name) => {
  const page = parseMarkup(usualPage(name));

  test('has no script but a file of its own, and no inline style (S51)', async () => {
    const served = [...(await staticFiles()).keys()].map(assetPath);
    const scripts = page.find('script');
    for (const { attributes } of scripts) expect(served).toContain(attributes.get('src'));
    expect(page.elements.filter((one) => active.includes(one.tag) && !scripts.includes(one))).toEqual([]);
    const attributes = page.elements.flatMap((element) => [...element.attributes.keys()]);
    expect(attributes.filter((attribute) => attribute === 'style' || /^on/.test(attribute))).toEqual([]);
    expect(page.find('meta').filter((meta) => meta.attributes.has('http-equiv'))).toEqual([]);
  });

  test('loads nothing but files of its own that exist (S51)', async () => {
    const served = [...(await staticFiles()).keys()].map(assetPath);
    const loaded = [
      ...page
        .find('link')
        .filter((link) => link.attributes.get('rel') !== 'expect')
        .map((link) => link.attributes.get('href')),
      ...page
        .find('img')
        .filter(isOurs)
        .map((image) => image.attributes.get('src')),
    ];
    expect(loaded.length).toBeGreaterThan(2);
    for (const address of loaded) expect(served).toContain(address);
  });

  test('is painted once its end is there', () => {
    const awaited = page.find('link').filter((link) => link.attributes.get('rel') === 'expect');
    expect(awaited.map(({ attributes }) => attributes.get('blocking'))).toEqual(['render']);
    const id = awaited[0]!.attributes.get('href')!.slice(1);
    expect(page.elements.filter(({ attributes }) => attributes.get('id') === id)).toHaveLength(1);
    // In the body that is all: nothing stands behind it.
    expect(page.elements.at(-1)!.attributes.get('id')).toBe(id);
  });

  test('shows a picture of somebody else only where an application asks, and tells them of no page (S51)', () => {
    const others = page.find('img').filter((image) => !isOurs(image));
    expect(others.length).toBe(name === 'consent' ? 1 : 0);
    for (const { attributes } of others) expect(attributes.get('referrerpolicy')).toBe('no-referrer');
  });
});

/** The logo of an application, whose origin alone the page's policy lets in. */
function isOurs({ attributes }: { readonly attributes: ReadonlyMap<string, string> }): boolean {
  return attributes.get('class') !== 'logo';
}

test('a frame of the sign-out page leads nowhere else, and only to an address that is a link (S51, S52)', () => {
  const framesOf = (src: string) =>
    parseMarkup(renderLoggedOut({ loginHref: '/', frames: [src] })).find('iframe');
  const [frame] = framesOf('https://app.example.com/logout?sid="1"');
  expect(Object.fromEntries(frame!.attributes)).toMatchObject({
    src: 'https://app.example.com/logout?sid=%221%22',
    sandbox: 'allow-scripts allow-same-origin',
    referrerpolicy: 'no-referrer',
  });
  for (const src of ['javascript:alert(1)', 'data:text/html,x', '//evil.example/', '']) {
    expect(framesOf(src)).toEqual([]);
  }
});

test('the style sheet and the pictures load nothing from elsewhere (S51)', async () => {
  for (const [name, { body }] of await staticFiles()) {
    // What explorer and editor ask for is seen where they run: test/pages/explorer.test.ts, test/pages/editor.test.ts.
    if (['explorer.js', 'editor.js'].includes(name) || /\.(?:png|jpeg)$/.test(name)) continue;
    const text = body
      .toString()
      .replaceAll('http://www.w3.org/2000/svg', '')
      .replaceAll(/url\("\/static\/picture-\w+\.\w+\?\w+"\)/g, '');
    expect(text, name).not.toMatch(/url\(|@import|https?:|<script|<style|\son\w+=|href=/);
  }
});
