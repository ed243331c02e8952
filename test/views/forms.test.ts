import { describe, expect, test } from 'vitest';
import { type Markup, type MarkupElement, parseMarkup } from './markup.ts';
import { fillPage, pageNames, usualPage } from './pages.ts';

describe.each(pageNames)('the page "%s"', (name) => {
  const page = parseMarkup(usualPage(name));
  const inputs = page.find('input');

  test('has a language, a title that names the product, one heading and one main part', () => {
    expect(page.find('html')[0]?.attributes.get('lang')).toBe('en');
    expect(page.find('title')[0]?.text).toMatch(/^.+ · Cluster Console$/);
    expect(page.find('h1')).toHaveLength(1);
    expect(page.find('main')).toHaveLength(1);
    for (const image of page.find('img')) expect(image.attributes.has('alt')).toBe(true);
  });

  test('skips no level of headings', () => {
    const levels = page.elements.filter(({ tag }) => /^h[1-6]$/.test(tag)).map(({ tag }) => Number(tag[1]));
    levels.forEach((level, index) => {
      expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
    });
  });

  test('gives every control a label and every reference a target', () => {
    const ids = page.elements.map((element) => element.attributes.get('id')).filter(Boolean);
    expect(new Set(ids).size).toBe(ids.length);
    const labelled = page.find('label').map((label) => label.attributes.get('for'));
    const controls = [...inputs.filter(isShown), ...page.find('select'), ...page.find('textarea')];
    for (const input of controls) expect(labelled).toContain(input.attributes.get('id'));
    for (const id of references(page)) expect(ids).toContain(id);
    for (const button of page.find('button')) expect(button.text.trim()).not.toBe('');
  });

  test('echoes no password and says what each one is', () => {
    for (const input of inputs.filter((each) => each.attributes.get('type') === 'password')) {
      expect(input.attributes.has('value')).toBe(false);
      expect(input.attributes.get('autocomplete')).toMatch(/^(current|new)-password$/);
    }
  });

  test('sends every form by POST, with a token, but for filters of lists and the search', () => {
    const tokens = inputs.filter((input) => /^(csrf|xsrf)$/.test(input.attributes.get('name') ?? ''));
    const [filters, others] = [true, false].map((isFilter) =>
      page
        .find('form')
        .filter(
          ({ attributes }) => /^(?:filters|bar-search)$/.test(attributes.get('class') ?? '') === isFilter,
        ),
    );
    expect(tokens).toHaveLength(others!.length);
    for (const form of others!) expect(form.attributes.get('method')).toBe('post');
    for (const form of filters!) expect(form.attributes.get('method')).toBe('get');
  });
});

test.each([
  { name: 'setup', fields: ['csrf', 'token', 'username', 'email', 'password', 'password_again'] },
  { name: 'invitation', fields: ['csrf', 'token', 'username', 'password', 'password_again'] },
  { name: 'login', fields: ['csrf', 'username', 'password'] },
  { name: 'confirmed login', fields: ['csrf', 'username', 'password'] },
  { name: 'consent', fields: ['csrf', 'decision=allow', 'decision=deny'] },
  { name: 'logout', fields: ['csrf', 'logout=yes'] },
  {
    name: 'account',
    fields: [
      ...['csrf', 'logout', 'csrf', 'session', 'csrf'],
      ...['csrf', 'current_password', 'password', 'password_again'],
    ],
  },
])('the page "$name" sends $fields', ({ name, fields }) => {
  const page = parseMarkup(usualPage(name));
  const controls = page.elements.filter(
    ({ tag, attributes }) => /^(input|button)$/.test(tag) && attributes.has('name'),
  );
  expect(controls.map(fieldOf)).toEqual(fields);
});

test.each(['setup', 'login', 'account'])('the page "%s" announces a problem before anything else', (name) => {
  const page = parseMarkup(fillPage(name, { text: 'It did not work.', href: '/' }));
  expect(page.find('title')[0]?.text).toMatch(/^Problem: /);
  const alerts = page.elements.filter((element) => element.attributes.get('role') === 'alert');
  expect(alerts.map((alert) => alert.text)).toEqual(['It did not work.']);
});

function isShown({ attributes }: MarkupElement): boolean {
  return attributes.get('type') !== 'hidden' && !attributes.has('hidden');
}

function references(page: Markup): readonly string[] {
  const names = ['for', 'aria-describedby', 'aria-labelledby'];
  return page.elements.flatMap(({ attributes }) =>
    names.flatMap((name) => attributes.get(name)?.split(' ') ?? []),
  );
}

function fieldOf({ tag, attributes }: MarkupElement): string {
  const name = attributes.get('name') ?? '';
  return tag === 'button' ? `${name}=${attributes.get('value')}` : name;
}
