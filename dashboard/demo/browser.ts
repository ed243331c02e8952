/** A browser without a screen, for the people of the demo: it keeps cookies for each site, follows redirects and sends forms. */

export interface Page {
  readonly url: string;
  readonly body: string;
}

export interface Browser {
  /** @returns the page at which redirects end; of one that leads to another machine, its address alone */
  open(address: string): Promise<Page>;
  /**
   * Sends the form of a page, with its hidden fields.
   *
   * @param action  what the address of the form ends with; without it, the first form
   * @throws {Error} where there is no such form
   */
  submit(page: Page, fields?: Readonly<Record<string, string>>, action?: string): Promise<Page>;
}

const mostRedirects = 20;

/** @param userAgent  as the list of sessions shows it */
export function createBrowser(userAgent: string, signal: AbortSignal): Browser {
  const cookies = new Map<string, Map<string, string>>();

  return {
    open: (address) => load(new URL(address)),
    submit(page, fields = {}, action = '') {
      const form = formsIn(page.body).find((one) => one.action.endsWith(action));
      if (!form) throw new Error(`There is no form ${action} at ${page.url}.`);
      return load(new URL(form.action, page.url), new URLSearchParams({ ...form.hidden, ...fields }));
    },
  };

  async function load(address: URL, form?: URLSearchParams): Promise<Page> {
    let [url, body] = [address, form];
    for (let n = 0; n < mostRedirects; n++) {
      if (!isHere(url)) return { url: url.href, body: '' };
      const answer = await ask(url, body);
      store(url, answer.headers.getSetCookie());
      const text = await answer.text();
      const location = answer.headers.get('location');
      if (location === null) return { url: url.href, body: text };
      [url, body] = [new URL(location, url), undefined];
    }
    throw new Error(`${address.href} leads on and on.`);
  }

  function ask(url: URL, body: URLSearchParams | undefined): Promise<Response> {
    const sent = [...(cookies.get(url.host) ?? [])].map(([name, value]) => `${name}=${value}`);
    return fetch(url, {
      method: body ? 'POST' : 'GET',
      headers: {
        Accept: 'text/html',
        Cookie: sent.join('; '),
        'User-Agent': userAgent,
        ...(body && { Origin: url.origin }),
      },
      ...(body && { body }),
      redirect: 'manual',
      signal,
    });
  }

  function store({ host }: URL, lines: readonly string[]): void {
    const jar = cookies.get(host) ?? new Map<string, string>();
    cookies.set(host, jar);
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
  }
}

function isHere({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

interface Form {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
}

function formsIn(html: string): readonly Form[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = '', content = '']) => {
    const inputs = [...content.matchAll(/<input\b([^>]*?)\/?>/g)].map(([, input = '']) => input);
    const hidden = inputs.filter((input) => attributeOf(input, 'type') === 'hidden');
    return {
      action: attributeOf(attributes, 'action'),
      hidden: Object.fromEntries(
        hidden.map((input) => [attributeOf(input, 'name'), attributeOf(input, 'value')]),
      ),
    };
  });
}

function attributeOf(attributes: string, name: string): string {
  const text = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}
