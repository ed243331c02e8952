/** Consoles that are cut off from their database, all at once: what goes on, what is refused and how, and how soon all is back. */
import { setTimeout as delay } from 'node:timers/promises';
import { apiToken, clientSecret, machineToken } from '../helpers/console.ts';
import { dashboard, signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { type CuttableWay, startCuttableWay } from './cuttable-way.ts';
import { type Answered, askAt, postTo, type Together, type TogetherOptions } from './support.ts';

/** What lies between the consoles and their database, before they are started, and what ends it. */
export interface Ways {
  readonly options: Pick<TogetherOptions, 'postgres' | 'wayOf'>;
  cut(n: number): void;
  mend(n: number): void;
  close(): Promise<void>;
}

/** By a process between them, in the network of this machine. */
export function stallingWays(): Ways {
  const ways = new Map<number, CuttableWay>();
  return {
    options: {
      async wayOf(n, port) {
        const way = ways.get(n) ?? (await startCuttableWay(port));
        ways.set(n, way);
        return { port: way.port };
      },
    },
    cut: (n) => ways.get(n)?.cut(),
    mend: (n) => ways.get(n)?.mend(),
    close: async () => void (await Promise.all([...ways.values()].map((way) => way.close()))),
  };
}

export interface WithoutDatabase {
  /** Machine tokens, and calls of members. */
  readonly done: number;
  readonly failed: readonly string[];
  /** All else. */
  readonly refused: readonly { readonly what: string; readonly answer: Answered }[];
  /** From the end of the cut until both of all consoles answer again. */
  readonly backMs: number;
  /** Statuses: the refresh token of before, a role that was never made, and the page of a session of before. */
  readonly afterwards: { readonly refresh: number; readonly role: number; readonly account: number };
}

/** @throws {Error} when they are not back after this long */
export async function liveWithoutDatabase(
  all: Together,
  ways: Pick<Ways, 'cut' | 'mend'>,
  { cutSeconds, backMs }: { readonly cutSeconds: number; readonly backMs: number },
): Promise<WithoutDatabase> {
  const publicPort = Number(new URL(all.url).port);
  const basic = { Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` };
  const agent = createUserAgent(all.url);
  const tokens = await signInForTokens(all, agent);
  const [member, api] = [await machineToken(all), await apiToken(all)];
  // Each console has seen the client and the token: what it knows it goes on with.
  for (const { port } of all.consoles)
    for (const { status } of await Promise.all([newToken(port), call(port)]))
      if (status !== 200) throw new Error(`an answer has status ${status} before the cut`);

  for (const n of all.consoles.keys()) ways.cut(n);
  const until = performance.now() + cutSeconds * 1000;
  const failed: string[] = [];
  let done = 0;
  const refused: { readonly what: string; readonly answer: Answered }[] = [];
  await Promise.all([go('token', newToken), go('call', call), go('call', call), others()]);
  for (const n of all.consoles.keys()) ways.mend(n);
  const mendedAt = performance.now();
  for (const { port } of all.consoles)
    while (!(await isBack(port)))
      if (performance.now() - mendedAt > backMs) throw new Error(`not back after ${backMs} ms`);
  const took = performance.now() - mendedAt;
  const { port } = all.consoles[0]!;
  return {
    done,
    failed,
    refused,
    backMs: took,
    afterwards: {
      refresh: (await refreshAt(port)).status,
      role: (await ask(port, '/api/v1/roles/never', bearer(api))).status,
      account: (await agent.get('/account')).status,
    },
  };

  async function go(what: string, asked: (port: number) => Promise<Answered>): Promise<void> {
    for (let n = 0; performance.now() < until; n++) {
      const { status, text } = await asked(all.consoles[n % all.consoles.length]!.port);
      if (status === 200) done++;
      else failed.push(`${what}: ${status} ${text}`);
      await delay(10);
    }
  }

  async function others(): Promise<void> {
    while (performance.now() < until) {
      for (const { port } of all.consoles) {
        refused.push({ what: 'refresh', answer: await refreshAt(port) });
        refused.push({ what: 'api', answer: await ask(port, '/api/v1/users', bearer(api)) });
        const change = JSON.stringify({ id: 'never', permissions: ['svc:map:read'] });
        const type = { 'Content-Type': 'application/json', ...bearer(api) };
        refused.push({
          what: 'change',
          answer: await askAt(port, publicPort, 'POST', '/api/v1/roles', type, change),
        });
      }
    }
  }

  async function isBack(port: number): Promise<boolean> {
    for (const path of ['/ready', '/api/v1/users'])
      if ((await ask(port, path, bearer(api))).status !== 200) return false;
    return true;
  }

  function newToken(port: number): Promise<Answered> {
    return postTo(port, publicPort, '/oauth2/token', { grant_type: 'client_credentials' }, basic);
  }

  function refreshAt(port: number): Promise<Answered> {
    const form = { client_id: dashboard.clientId, refresh_token: tokens.refresh_token };
    return postTo(port, publicPort, '/oauth2/token', { grant_type: 'refresh_token', ...form });
  }

  function call(port: number): Promise<Answered> {
    return ask(port, '/svc/rest/cluster', bearer(member));
  }

  function ask(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<Answered> {
    return askAt(port, publicPort, 'GET', path, headers);
  }
}

export function bearer(token: string): { readonly Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}
