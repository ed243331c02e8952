/** A browser without a screen: keeps cookies, follows redirects on its own site, fills in forms. */
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { admin } from './console.ts';

export interface Reply {
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly setCookies: readonly string[];
  readonly body: string;
}

interface Cookie {
  readonly name?: string;
  readonly value: string;
  readonly path: string;
}

export interface UserAgent {
  /** By name; those of a narrower path than `/` by name and path. */
  readonly cookies: Map<string, Cookie>;
  send(method: string, url: string, options?: SendOptions): Promise<Reply>;
  get(url: string, headers?: OutgoingHttpHeaders): Promise<Reply>;
  post(url: string, fields: Fields, headers?: OutgoingHttpHeaders): Promise<Reply>;
  /** Fills in a form of the page, hidden fields included, and sends it. */
  submit(page: Reply, fields?: Fields, options?: SubmitOptions): Promise<Reply>;
  /** Goes on while redirects stay on this site. */
  follow(reply: Reply): Promise<Reply>;
  /** The console's own sign-in. @returns the page of the own account, or what else the sign-in ended at */
  signIn(credentials?: { readonly username: string; readonly password: string }): Promise<Reply>;
}

export type Fields = Readonly<Record<string, string>>;

export interface SendOptions {
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

export interface SubmitOptions {
  /** Chooses the form whose action ends like this; otherwise the first. */
  readonly action?: string;
  readonly headers?: OutgoingHttpHeaders;
}

export interface UserAgentOptions {
  /** Certificate to trust, PEM. */
  readonly ca?: string;
  /** Sent with every request. */
  readonly headers?: OutgoingHttpHeaders;
}

/** @param site  origin of the console; addresses without one are meant to be there */
export function createUserAgent(
  site: string,
  { ca, headers: always = {} }: UserAgentOptions = {},
): UserAgent {
  const cookies = new Map<string, Cookie>();

  const agent: UserAgent = {
    cookies,
    async send(method, url, { headers = {}, body } = {}) {
      const target = new URL(url, site);
      const cookie = cookieHeader(cookies, target.pathname);
      const reply = await exchange(target, {
        method,
        headers: { accept: 'text/html', ...always, ...(cookie ? { cookie } : {}), ...headers },
        body,
        ca,
      });
      for (const line of reply.setCookies) store(cookies, line);
      return reply;
    },
    get: (url, headers = {}) => agent.send('GET', url, { headers }),
    post(url, fields, headers = {}) {
      const body = new URLSearchParams(fields).toString();
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      return agent.send('POST', url, { headers: { origin: site, ...type, ...headers }, body });
    },
    submit(page, fields = {}, { action, headers = {} } = {}) {
      const form = formsOf(page.body).find((found) => action === undefined || found.action.endsWith(action));
      if (!form) throw new Error(`no form${action ? ` to ${action}` : ''} in ${page.status} ${page.body}`);
      const target = new URL(form.action, page.url).href;
      return agent.post(target, { ...form.hidden, ...fields }, headers);
    },
    async follow(reply) {
      let at = reply;
      for (let hops = 0; hops < 10; hops++) {
        const { location } = at.headers;
        if (location === undefined || !new URL(location, at.url).href.startsWith(`${site}/`)) return at;
        at = await agent.get(new URL(location, at.url).href);
      }
      throw new Error(`redirected too often, at last to ${at.headers.location}`);
    },
    async signIn(credentials = admin) {
      const reply = await agent.submit(await agent.get('/login'), credentials);
      return reply.headers.location === '/' ? agent.get('/account') : agent.follow(reply);
    },
  };
  return agent;
}

/** Title of a page, without the product's name. */
export function titleOf({ body }: Reply): string {
  return unescapeHtml(/<title>(.*?)<\/title>/s.exec(body)?.[1] ?? '').replace(/ · .*$/, '');
}

/** Of the page that a sign-in ends at: for who may open management pages, and for everybody else. */
export const signedInTitle = /^(?:Overview|Your account)$/;

/** What a reader sees: markup out, spaces folded. */
export function textOf({ body }: Reply): string {
  return unescapeHtml(body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '));
}

/** `acts`: what buttons by the name `do` stand for. */
export function formsOf(html: string): { action: string; hidden: Record<string, string>; acts: string[] }[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = '', content = '']) => ({
    action: attributeOf(attributes, 'action'),
    acts: [...content.matchAll(/<button\b([^>]*)>/g)]
      .map(([, button = '']) => button)
      .filter((button) => attributeOf(button, 'name') === 'do')
      .map((button) => attributeOf(button, 'value')),
    hidden: Object.fromEntries(
      [...content.matchAll(/<input\b([^>]*)\/?>/g)]
        .map(([, input = '']) => input)
        .filter((input) => attributeOf(input, 'type') === 'hidden')
        .map((input) => [attributeOf(input, 'name'), attributeOf(input, 'value')]),
    ),
  }));
}

function attributeOf(attributes: string, name: string): string {
  return unescapeHtml(new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
}

function unescapeHtml(text: string): string {
  const signs: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|#39|#x27|amp);/g, (_, name: string) => signs[name]!);
}

function exchange(
  target: URL,
  {
    method,
    headers,
    body,
    ca,
  }: { method: string; headers: OutgoingHttpHeaders; body: string | undefined; ca: string | undefined },
): Promise<Reply> {
  const start = target.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = start(target, { method, headers, agent: false, ...(ca ? { ca } : {}) }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({
          url: target.href,
          status: response.statusCode!,
          headers: response.headers,
          setCookies: response.headers['set-cookie'] ?? [],
          body: text,
        }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

function cookieHeader(cookies: ReadonlyMap<string, Cookie>, path: string): string {
  const sent = [...cookies].filter(
    ([, cookie]) => path === cookie.path || path.startsWith(slashed(cookie.path)),
  );
  return sent.map(([key, { name = key, value }]) => `${name}=${value}`).join('; ');
}

function slashed(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function store(cookies: Map<string, Cookie>, line: string): void {
  const [pair = '', ...attributes] = line.split('; ');
  const name = pair.slice(0, pair.indexOf('='));
  const value = pair.slice(name.length + 1);
  const path = attributes.find((text) => /^path=/i.test(text))?.slice(5) ?? '/';
  const expires = attributes.find((text) => /^expires=/i.test(text))?.slice(8);
  const isOver = value === '' || (expires !== undefined && Date.parse(expires) < Date.now());
  const key = path === '/' ? name : `${name} ${path}`;
  if (isOver) cookies.delete(key);
  else cookies.set(key, { name, value, path });
}
