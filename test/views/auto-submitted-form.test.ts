import { expect, test } from 'vitest';
import { renderAutoSubmittedForm } from '../../views/auto-submitted-form.tsx';
import { parseMarkup } from './markup.ts';

test('a message to a provider is a form to its address, with the fields as they are and a button', () => {
  const fields = { SAMLRequest: 'PHg+"&<', RelayState: 'id' };
  const html = renderAutoSubmittedForm({
    provider: '<b>Corp</b>',
    purpose: 'sign-out',
    action: 'https://idp.example/out?a=1&b=2',
    fields,
  });
  const page = parseMarkup(html);
  const [form, ...others] = page.find('form');
  expect(others).toEqual([]);
  expect(form!.attributes.get('method')).toBe('post');
  expect(html).toContain('action="https://idp.example/out?a=1&amp;b=2"');
  expect(html).toContain('value="PHg+&quot;&amp;&lt;"');
  expect(page.find('input').map(({ attributes }) => attributes.get('name'))).toEqual(Object.keys(fields));
  expect(page.find('b')).toEqual([]);
  expect(page.find('button')[0]!.text).toBe('Continue to <b>Corp</b>');
  expect(page.find('h1')[0]!.text).toBe('Continue to <b>Corp</b>');
});

test('it goes to no address that is not a page (S51)', () => {
  expect(() =>
    renderAutoSubmittedForm({
      provider: 'Corp',
      purpose: 'sign-in',
      action: 'javascript:alert(1)',
      fields: {},
    }),
  ).toThrow();
});
