/** In the files of pages that speak every language no sentence is left that stands in one alone. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { saidIn as inGerman } from '../../views/texts/text.ts';

const root = join(import.meta.dirname, '../..');

/** Done, by folder or file: what is made next to them is held to it too. */
const translated = [
  'views/management',
  'views/test-sign-in.tsx',
  'views/account.tsx',
  'views/account-display.tsx',
  'views/account-password.tsx',
  'views/account-sessions.tsx',
  'views/login.tsx',
  'views/consent.tsx',
  'views/device.tsx',
  'views/error.tsx',
  'views/invitation.tsx',
  'views/logout.tsx',
  'views/setup.tsx',
  'console/pages',
];

/** Phrases of the editor by which it asks for ours, an error that no page shows, and lines of the log and of the protocol. */
const notOnPages: ReadonlySet<string> = new Set([
  'views/management/forms/editor.tsx',
  'console/pages/page-tools.ts',
  'console/pages/live/bar.ts',
  'console/pages/live/stream-text.ts',
  'console/pages/live/streams.ts',
  'console/pages/live/new-items.ts',
  // Commands by their names.
  'console/pages/ways/act-commands.ts',
]);

/** What is the same in every language: names of products and formats, and what is copied into programs. */
const same: readonly RegExp[] = [
  /^(?:Keycloak|Microsoft|Entra ID|Active Directory|OpenID Connect|SAML 2\.0|LDAP|Spring Boot|Apache|Python|Node|Java|Go)$/,
  /^(?:Admin|Viewer|MetricsViewer)$/,
  /^(?:Client|Application)(?:Secret)?$/,
  /^(?:IdentityProvider|Role|User|Elevation|Backup|Import)$/,
  // Fields of replies, the report for whoever helps, and steps as jobs name them.
  /^(?:attachment; filename=|text\/plain; |sandbox; )/,
  /^Health check of$/,
  /^(?:copying the store|taking items|reading entries|reading the audit|finding them|acting on each)$/,
  /^(?:SHA-256|npx console(?: .*)?|-H .*|.* -> Admin)$/,
];
/** Their templates are programs to copy. */
const programs = [
  'console/pages/access/clients/client-snippets.ts',
  'console/pages/access/clients/proving-snippet.ts',
  'console/pages/access/application-presets.ts',
  'console/pages/cluster/first-calls.ts',
  'console/pages/ways/change-ways.ts',
  'console/pages/ways/act-ways.ts',
];

/** Attributes that nobody reads. */
const unread =
  /^(?:class|id|for|name|key|href|action|type|rel|role|scope|method|autocomplete|data-(?!copy|close|title))/;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

const files = translated
  .flatMap((path) =>
    /\.tsx?$/.test(path)
      ? [path]
      : readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
          .filter((name) => /\.tsx?$/.test(name))
          .map((name) => join(path, name)),
  )
  .filter((path) => !notOnPages.has(path));

test.each(files)('%s says everything by key', (file) => {
  const text = readFileSync(join(root, file), 'utf8');
  expect(saidIn(file, text)).toEqual([]);
});

test('there are such files', () => {
  expect(files.length).toBeGreaterThan(60);
  expect(files.map((file) => relative('.', file))).toContain('views/management/access/users.tsx');
});

test.each([
  ['text of an element', '<p>Nobody is signed in.</p>', 'Nobody is signed in.'],
  ['one word of an element', '<summary>More</summary>', 'More'],
  ['an attribute', '<Part title="Last logouts" />', 'Last logouts'],
  ['a value in braces', "<p>{isEnabled ? 'Enabled' : t('access.disabled')}</p>", 'Enabled'],
  ['a template', `<Part about={\`Used in \${days} days\`} />`, 'Used in'],
  ['a field of an object', "({ title: 'Name' })", 'Name'],
])('%s would be found', (_what, code, found) => {
  expect(saidIn('page.tsx', `export const one = ${code};`)[0]).toContain(found);
});

test.each([
  "<p>{t('access.disabled')}</p>",
  '<a class="button primary" href="/access/users">{name}</a>',
  '<Text id="users.giveItAlone" gaps={{ until }} />',
  "tools.run(ctx, 'listUsers', { query: { limit: '200' } })",
])('%s is no sentence', (code) => {
  expect(saidIn('page.tsx', `export const one = ${code};`)).toEqual([]);
});

function saidIn(file: string, text: string): readonly string[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const found: string[] = [];
  visit(program as unknown as Node);
  return found;

  function visit(node: Node): void {
    if (node.type === 'ImportDeclaration' || node.type.startsWith('TS')) {
      if (!/^TS(?:As|Satisfies|NonNull)Expression$/.test(node.type)) return;
    }
    if (node.type === 'TemplateLiteral' && programs.includes(file)) return;
    if (node.type === 'NewExpression' && nameOf(node, 'callee') === 'ProblemError') {
      visitProblem(node);
      return;
    }
    if (node.type === 'JSXAttribute' && unread.test(nameOf(node))) return;
    if (node.type === 'JSXText') report(String(node.value), /\p{L}{2}/u);
    else if (node.type === 'Literal' && typeof node.value === 'string') report(node.value, sentence);
    else if (node.type === 'TemplateElement')
      report((node.value as { readonly cooked: string }).cooked, words);
    for (const child of childrenOf(node)) visit(child);
  }

  /** Programs get it in English; who reads a page gets it in German where the sentences of problems have it. */
  function visitProblem(node: Node): void {
    const [, message] = node.arguments as readonly Node[];
    if (message?.type !== 'Literal') return;
    if (inGerman('de', String(message.value)) === undefined) found.push(String(message.value));
  }

  function report(said: string, form: RegExp): void {
    const trimmed = said.replaceAll(/\s+/g, ' ').trim();
    if (form.test(trimmed) && !same.some((one) => one.test(trimmed))) found.push(trimmed);
  }
}

/** A word with a capital, or several words; keys, ids and names of types are neither. */
const sentence = /^\p{Lu}\p{Ll}+$|\p{L}{2,}[,:;]? \p{L}/u;
const words = /\p{L}{2,}[,:;]? \p{Ll}{2}|^\p{Lu}\p{Ll}+ |^\p{Ll}{2,} | \p{Ll}{2,}[.:,]?$/u;

function nameOf(node: Node, field = 'name'): string {
  return String((node[field] as Node).name);
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flatMap((value) =>
    (Array.isArray(value) ? value : [value]).filter(
      (one): one is Node => typeof one === 'object' && one !== null && typeof one.type === 'string',
    ),
  );
}
