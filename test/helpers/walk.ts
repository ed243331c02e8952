/** Every management page that an administrator is led to along the links, and every form on them, with what a browser would send. */
import { expect } from 'vitest';
import { siteMap } from '../../console/pages/site-map.ts';
import { admin } from './console.ts';
import { callApi, personPassword } from './management.ts';
import type { Reply, UserAgent } from './user-agent.ts';

const mostPages = 500;

export interface WalkedForm {
  /** Of the page that it stands on. */
  readonly page: string;
  readonly action: string;
  readonly isUpload: boolean;
  /** What is sent when nothing is typed, hidden fields included. */
  readonly filled: Readonly<Record<string, string>>;
  /** Of these the hidden ones, and what the button says. */
  readonly hidden: Readonly<Record<string, string>>;
  /** Names of what may be typed into. */
  readonly typed: readonly string[];
}

export interface Walked {
  readonly pages: readonly string[];
  readonly forms: readonly WalkedForm[];
}

/** One of each kind of thing, so that each page has something to show. */
export async function addOneOfEach(console: { readonly url: string }): Promise<void> {
  const change = (method: string, path: string, body?: object) => callApi(console, method, path, body);
  await change('POST', '/roles', { id: 'Narrow', permissions: ['svc:map:orders:read'] });
  await change('POST', '/users', { id: 'grace', displayName: 'Grace', roles: ['Narrow'] });
  await change('POST', '/clients', { id: 'billing', scopes: ['svc:health:read'] });
  await change('POST', '/applications', { id: 'wiki', redirectUris: ['https://wiki.example.com/callback'] });
  await change('POST', '/identity-providers', {
    ...{ id: 'corp', kind: 'oidc', name: 'Corp', issuer: 'https://id.example.com' },
    ...{ clientId: 'console', clientSecret: 'a-secret-of-the-provider', defaultRole: 'Viewer' },
  });
  await change('PUT', '/maps/orders/entries/a1', { value: btoa('{"n":1}'), type: 'application/json' });
  await change('POST', '/queues/jobs/offer', { value: btoa('a job'), type: 'text/plain' });
}

/** All that a form could have changed. */
export async function storedIn(console: { readonly url: string }): Promise<unknown> {
  const read = (path: string) => callApi(console, 'GET', path);
  const lists = [
    '/users',
    '/roles',
    '/clients',
    '/applications',
    '/identity-providers',
    '/keys',
    '/jobs',
    '/backups',
  ];
  const { items } = (await read('/maps/orders/entries/a1').then((entry) => ({ items: entry }))) as {
    items: unknown;
  };
  const all = await Promise.all(lists.map((path) => read(`${path}?limit=200`)));
  const queue = await read('/queues/jobs');
  // A person who signs in is another version of themselves.
  return JSON.parse(
    JSON.stringify([items, all, queue], (name, value) =>
      [
        'lastSignInAt',
        'lastUsedAt',
        'lastUsedFrom',
        'tokensLastHour',
        'updatedAt',
        'lastCallOn',
        'sources',
        // Figures of the last hour.
        'callsPerSecond',
        'hitShare',
        'meanValueBytes',
        'offersPerSecond',
        'pollsPerSecond',
        'pollsWaiting',
      ].includes(name)
        ? undefined
        : value,
    ),
  );
}

/** Where no link leads: what is opened by name, and what is selected in a list. */
export const unlinked = [
  '/cluster/maps/orders/a1',
  '/cluster/queues/jobs',
  '/access/users?do=disable&pick%3Agrace=on',
  '/access/users?do=remove&pick%3Agrace=on',
  '/access/users?do=end-sessions&all=true',
  '/access/clients?do=enable&pick%3Abilling=on',
  '/access/applications?do=remove&pick%3Awiki=on',
  '/access/roles?do=remove&pick%3ANarrow=on',
  '/access/sessions?do=end&all=true&user=ada',
  '/access/sessions?do=end-all',
  '/access/clients/billing',
  '/settings/api/console',
];

/**
 * From every page of the map.
 *
 * @param more         pages that no link leads to
 * @param mostOfShape  pages that differ in ids and keys alone
 */
export async function walk(
  agent: UserAgent,
  more: readonly string[] = unlinked,
  mostOfShape = 1,
): Promise<Walked> {
  const waiting = [
    ...siteMap.flatMap(({ href, pages: some }) => [href, ...some.map((page) => page.href)]),
    ...more,
  ];
  const shapes = new Map<string, number>();
  const seen = new Set<string>();
  const found = new Map<string, WalkedForm>();
  for (let href = waiting.shift(); href !== undefined && seen.size < mostPages; href = waiting.shift()) {
    const shape = shapeOf(href);
    const count = shapes.get(shape) ?? 0;
    if (seen.has(href) || count >= mostOfShape || /^\/(?:static|api|language|connect)\//.test(href)) continue;
    shapes.set(shape, count + 1);
    seen.add(href);
    const page = await agent.get(href);
    if (page.status === 303) continue;
    expect([href, page.status]).toEqual([href, 200]);
    if (!page.headers['content-type']?.startsWith('text/html')) continue;
    for (const form of formsIn(page, href))
      found.set(`${shapeOf(form.action)} ${form.filled.do} ${namesOf(form)}`, form);
    for (const [, link = ''] of page.body.matchAll(/<a\b[^>]* href="(\/[^"#]*)/g))
      waiting.push(unescapeHtml(link));
  }
  return { pages: [...seen], forms: [...found.values()] };
}

/** What is selected in a list makes no other form. */
function namesOf({ typed }: WalkedForm): string {
  return typed.filter((name) => !name.includes(':')).join(' ');
}

/** What a person may type where nothing stands yet, by the name of the control. */
const samples: Readonly<Record<string, string>> = {
  ...{ email: 'walked@example.com', url: 'https://walked.example.com', issuer: 'https://id2.example.com' },
  ...{ redirectUris: 'https://walked.example.com/callback', endpoints: '127.0.0.1:2', config: 'svc: {}' },
  ...{ level: 'INFO', accent: '#0f5a49', tokenTtlSeconds: '300', jwks: '' },
  ...{ path: '/svc/rest/cluster', keys: 'a1', map: 'orders', language: 'en', password: personPassword },
  ...{ current_password: admin.password, new_password: personPassword, new_password_again: personPassword },
};

/** Boxes that somebody ticks who has typed such names. */
const boxesWith: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  maps: { 'map:read': 'on' },
  queues: { 'queue:offer': 'on' },
};

/** As somebody sends it who has typed something wherever nothing stood, and what is asked for before it is done. */
export function typedIn({ filled, typed }: WalkedForm): Readonly<Record<string, string>> {
  const empty = typed.filter((name) => filled[name] === '');
  const typedNow = empty.map((name) => [name, samples[name] ?? 'walked']);
  return Object.assign({}, filled, Object.fromEntries(typedNow), ...empty.map((name) => boxesWith[name]));
}

/** Ids and keys in the path make no other page. */
export function shapeOf(href: string): string {
  const [path = '', query = ''] = href.split('?');
  const names = [...new URLSearchParams(query)].map(([name, value]) =>
    name === 'do' ? `do=${value}` : name,
  );
  return `${path.replace(/[^/]*[\d.:%_][^/]*/g, '*')}?${names.sort().join('&')}`;
}

/** Those that change something: each button that says what is done makes a form of its own. */
export function formsIn({ body }: Reply, page: string): readonly WalkedForm[] {
  return [...body.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].flatMap(([, head = '', content = '']) => {
    const { filled, hidden, typed } = controlsOf(content);
    const action = attributeOf(head, 'action') ?? '';
    if (filled.csrf === undefined || action === '') return [];
    const isUpload = attributeOf(head, 'enctype') === 'multipart/form-data';
    const buttons = [...buttonsIn(content), ...buttonsBeside(body, attributeOf(head, 'id'))];
    const acts = buttons
      .filter((button) => attributeOf(button, 'name') === 'do')
      .map((button) => attributeOf(button, 'value') ?? '');
    // One whose buttons stand beside it, where nothing can be done now.
    if (buttons.length === 0 && attributeOf(head, 'id') !== undefined) return [];
    if (acts.length === 0) return [{ page, action, isUpload, filled, hidden, typed }];
    return acts.map((act) => ({
      ...{ page, action, isUpload, typed },
      filled: { ...filled, do: act },
      hidden: { ...hidden, do: act },
    }));
  });
}

function buttonsIn(html: string): readonly string[] {
  return [...html.matchAll(/<button\b([^>]*)>/g)].map(([, button = '']) => button);
}

/** That stand beside a form, and name it. */
function buttonsBeside(html: string, form: string | undefined): readonly string[] {
  return form ? buttonsIn(html).filter((button) => attributeOf(button, 'form') === form) : [];
}

function controlsOf(html: string): Pick<WalkedForm, 'filled' | 'hidden' | 'typed'> {
  const filled: Record<string, string> = {};
  const hidden: Record<string, string> = {};
  const typed: string[] = [];
  const controls = html.matchAll(
    /<input\b([^>]*)>|<textarea\b([^>]*)>(.*?)<\/textarea>|<select\b([^>]*)>(.*?)<\/select>/gs,
  );
  for (const [, input, area, text = '', select, options = ''] of controls) {
    const head = input ?? area ?? select ?? '';
    const name = attributeOf(head, 'name');
    if (name === undefined || /\sdisabled(?:[\s=>/]|$)/.test(head)) continue;
    const type = input === undefined ? 'text' : (attributeOf(head, 'type') ?? 'text');
    if (['checkbox', 'radio'].includes(type)) {
      if (/\schecked(?:[\s=>/]|$)/.test(head)) filled[name] = attributeOf(head, 'value') ?? 'on';
      continue;
    }
    if (type === 'hidden') hidden[name] = attributeOf(head, 'value') ?? '';
    else typed.push(name);
    if (type === 'file') continue;
    filled[name] = attributeOf(head, 'value') ?? '';
    if (area !== undefined) filled[name] = unescapeHtml(text.replace(/^\n/, ''));
    if (select !== undefined) filled[name] = chosenOf(options);
  }
  // What is asked for before what hits others; people type it.
  const asked = /<bdi class="code typed">([^<]*)<\/bdi>/.exec(html)?.[1];
  if (asked !== undefined) filled.typed_name = unescapeHtml(asked);
  return { filled, hidden, typed: [...new Set(typed)] };
}

function chosenOf(options: string): string {
  const all = [...options.matchAll(/<option\b([^>]*)>([^<]*)/g)];
  const [, head = '', text = ''] = all.find(([, each = '']) => /\sselected/.test(each)) ?? all[0] ?? [];
  return attributeOf(head, 'value') ?? unescapeHtml(text);
}

function attributeOf(head: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}(?:="([^"]*)"|(?=[\\s/>]|$))`).exec(head);
  return found ? unescapeHtml(found[1] ?? '') : undefined;
}

function unescapeHtml(text: string): string {
  const signs: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|#39|#x27|amp);/g, (_, name: string) => signs[name]!);
}
