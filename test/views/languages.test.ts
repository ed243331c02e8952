/** What people without rights see is there in each language, whole: keys, gaps, and nothing left in English. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { problems } from '../../platform/errors.ts';
import { renderAutoSubmittedForm } from '../../views/auto-submitted-form.tsx';
import { usualPresentation } from '../../views/presentation.ts';
import { saidBySchemasInGerman } from '../../views/texts/de/api/said-checks.ts';
import { saidInGerman } from '../../views/texts/de/said.ts';
import { languages, saidIn, textIn } from '../../views/texts/text.ts';
import type { TextForm } from '../../views/texts/text-form.ts';
import { fillPage, pageNames } from './pages.ts';

const english: Readonly<Record<string, TextForm>> = languages.en.texts;
const german: Readonly<Record<string, TextForm>> = languages.de.texts;
const read = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
const formsOf = (form: TextForm) => (typeof form === 'string' ? [form] : Object.values(form));
const gapsIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

/** Sign-in, consent, sessions and members have their words from the field: these were ours, and nobody knew them. */
const retiredPhrases: readonly RegExp[] = [
  /the time before|this is the first time/i,
  /password as it is now|new password, once more/i,
  /this sign-in\b|ends at the latest/i,
  /asks who you are/i,
  /\blet .+ in\?/i,
  /what comes next needs your password/i,
  /round trip through the console/i,
  /^put in\b/i,
  /keeps data|migrations waiting|the cluster is well/i,
  /^told$|no answer yet/i,
  /one more step/i,
];

describe('the files of both languages', () => {
  test('have the same keys, in the same forms, with the same gaps', () => {
    expect(Object.keys(german)).toEqual(Object.keys(english));
    for (const [key, form] of Object.entries(english)) {
      expect(typeof german[key], key).toBe(typeof form);
      expect(formsOf(german[key]!).map(gapsIn), key).toEqual(formsOf(form).map(gapsIn));
    }
    for (const [said, text] of Object.entries(saidInGerman)) expect(gapsIn(text), said).toEqual(gapsIn(said));
  });

  test('say what the field says, not what stood there before', () => {
    const texts = Object.values(english).flatMap(formsOf);
    for (const phrase of retiredPhrases) expect(texts.filter((text) => phrase.test(text))).toEqual([]);
  });

  // Events are named by their codes: test/house/surface.test.ts has which there are; reasons too: reasons.test.ts.
  test('have no key that no page uses', () => {
    const sources = [
      read('views').replaceAll(/^ {2}'[\w.]+':/gm, ''),
      read('console/http'),
      read('console/pages'),
      read('console/login'),
    ].join('\n');
    const unused = Object.keys(english).filter(
      (key) =>
        !/^(?:event|reason)\./.test(key) && !sources.includes(`'${key}'`) && !sources.includes(`"${key}"`),
    );
    expect(unused).toEqual([]);
  });

  test('say nothing in German that nobody says in English', () => {
    // Sentences begin in capitals, and show names as they are.
    const plain = (text: string) => text.replaceAll('`', '').toLowerCase();
    const sources = plain(['console', 'platform', 'member-proxy', 'http'].map(read).join('\n'));
    const own = Object.keys(saidInGerman).filter((said) => !Object.hasOwn(saidBySchemasInGerman, said));
    const gone = own.filter((said) =>
      // Some are ended where they are put together.
      said
        .split(/\{\w+\}/)
        .map((part) => part.replace(/(?:\.|: )$/, ''))
        .some((part) => part.trim() !== '' && !sources.includes(plain(part))),
    );
    expect(gone).toEqual([]);
  });

  test('choose the plural form by the rules of the language', () => {
    expect(textIn('en', 'login.retryInSeconds', { n: 1 })).toBe('Try again in one second.');
    expect(textIn('de', 'login.retryInSeconds', { n: 40 })).toBe('Versuchen Sie es in 40 Sekunden wieder.');
    expect(textIn('de', 'login.retryInMinutes', { n: 1 })).toBe('Versuchen Sie es in einer Minute wieder.');
  });

  test('have what problems of a browser are called', () => {
    const ofBrowsers = [
      'csrfFailed',
      'notFound',
      'forbidden',
      'methodNotAllowed',
      'serverError',
      'contentTooLarge',
      'loginFailed',
      'tooManyRequests',
      'busy',
      'storageUnavailable',
      'invalidRequest',
      'conflict',
    ] as const;
    for (const name of ofBrowsers) expect(saidIn('de', problems[name].title), name).toBeDefined();
  });

  test('leave what nobody has translated in English, and fill the gaps of the rest', () => {
    expect(saidIn('de', 'Nobody has said this before.')).toBeUndefined();
    expect(saidIn('de', 'constructor')).toBeUndefined();
    expect(saidIn('de', 'There is no page /a.b.')).toBe('Es gibt keine Seite /a.b.');
    expect(saidIn('de', 'Act as a MetricsViewer. Reads cluster information and health.')).toBe(
      'Als MetricsViewer zu handeln. Liest Angaben zum Cluster und seine Gesundheit.',
    );
  });
});

const group = pageNames.filter((name) =>
  /<body class="narrow"/.test(fillPage(name, { text: 'x', href: '/' })),
);
/** Names, values, commands, and words that both languages have. */
const common = [
  /^[xX\s.,:?/()-]*$/,
  /^Cluster Console$/,
  /^Status$/,
  /^optional$/,
  /^Code$/,
  /^\d+$/,
  /^npx console /,
  /^administrator none yet/,
  /^https?:/,
  /^Problem: x /,
];

const isCommon = (text: string) => common.some((form) => form.test(text));

describe('each page for people without rights', () => {
  test('is one of these', () => {
    expect(group.length).toBeGreaterThan(15);
    for (const name of [
      'login',
      'setup',
      'consent',
      'logout',
      'logged out',
      'error',
      'device code',
      'invitation',
    ]) {
      expect(group).toContain(name);
    }
  });

  test.each(['sign-in', 'sign-out'] as const)(
    'what is sent to a provider by a form at a %s is whole, too',
    (purpose) => {
      const model = { provider: 'x', purpose, action: '/x', fields: {} };
      const inEnglish = textsOf(renderAutoSubmittedForm(model));
      const html = renderAutoSubmittedForm(model, { ...usualPresentation, language: 'de' });
      expect(textsOf(html).filter((text) => inEnglish.includes(text) && !isCommon(text))).toEqual([]);
    },
  );

  test.each(group)('%s is whole in German, and says so', (name) => {
    const filling = { text: 'x', href: '/x' };
    const inEnglish = textsOf(fillPage(name, filling));
    const html = fillPage(name, filling, { ...usualPresentation, language: 'de' });
    expect(html).toContain('<html lang="de"');
    const marked = html.replace(/<span lang="en">x<\/span>/g, '');
    expect(marked).not.toContain('lang="en"');
    const left = textsOf(html).filter((text) => inEnglish.includes(text) && !isCommon(text));
    expect(left).toEqual([]);
  });
});

/** Those for people with rights. */
const managed = pageNames.filter((name) => !group.includes(name));
/** What is another in German. */
const englishAlone = new Set(
  Object.entries(english)
    .filter(([key, form]) => JSON.stringify(form) !== JSON.stringify(german[key]))
    .flatMap(([, form]) => formsOf(form)),
);

describe('each page for people with rights', () => {
  test.each(managed)('%s is whole in German, and says so', (name) => {
    const filling = { text: 'x', href: '/x' };
    const html = fillPage(name, filling, { ...usualPresentation, language: 'de' });
    expect(html).toContain('<html lang="de"');
    const left = textsOf(html).filter((text) => englishAlone.has(text));
    expect(left).toEqual([]);
  });
});

/** Text between tags, and what is read out of attributes. */
function textsOf(html: string): readonly string[] {
  const spoken = [...html.matchAll(/ (?:aria-label|title|placeholder|alt)="([^"]+)"/g)].map(
    ([, text]) => text!,
  );
  const written = html.replace(/<style.*?<\/style>/gs, '').split(/<[^>]*>/);
  return [...spoken, ...written].map((text) => text.trim()).filter((text) => text !== '');
}
