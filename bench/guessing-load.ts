/** Many addresses guess at one account: each opens the form once, and sends passwords from then on. */

export interface GuessingLoad {
  readonly url: string;
  readonly username: string;
  /** Addresses, told as a trusted proxy tells them. */
  readonly sources: number;
  /** Guesses under way at a time. */
  readonly atOnce: number;
}

export interface Guesses {
  /** @returns how often each status was answered */
  stop(): Promise<{ readonly statuses: ReadonlyMap<number, number> }>;
}

interface Form {
  readonly cookie: string;
  readonly csrf: string;
}

export function startGuessing({ url, username, sources, atOnce }: GuessingLoad): Guesses {
  const forms = new Map<string, Form>();
  const statuses = new Map<number, number>();
  let isStopped = false;
  let next = 0;
  const workers = Array.from({ length: atOnce }, guess);

  return {
    async stop() {
      isStopped = true;
      await Promise.all(workers);
      return { statuses };
    },
  };

  async function guess(): Promise<void> {
    while (!isStopped) {
      const number = next++;
      const address = addressOf(number % sources);
      const { cookie, csrf } = await formOf(address);
      const response = await fetch(`${url}/login`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, origin: new URL(url).origin, 'x-forwarded-for': address },
        body: new URLSearchParams({ csrf, username, password: `a-wrong-password-${number}` }),
      });
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  }

  async function formOf(address: string): Promise<Form> {
    const known = forms.get(address);
    if (known) return known;
    const form = await openForm(url, address);
    forms.set(address, form);
    return form;
  }
}

export async function openForm(url: string, address: string): Promise<Form> {
  const page = await fetch(`${url}/login`, { headers: { 'x-forwarded-for': address } });
  const cookie = page.headers
    .getSetCookie()
    .map((field) => field.split(';')[0])
    .join('; ');
  return { cookie, csrf: /name="csrf"[^>]*value="([^"]*)"/.exec(await page.text())?.[1] ?? '' };
}

function addressOf(number: number): string {
  return `198.${18 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
}
