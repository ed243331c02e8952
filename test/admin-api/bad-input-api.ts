/** Calls of the admin API in the name of several callers. */
import { setTimeout as pause } from 'node:timers/promises';
import { toolDone } from '../helpers/commands.ts';
import { apiToken, machineToken, type RunningConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import type { Caller } from './bad-input-columns.ts';

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

export interface CallOptions {
  readonly as?: Caller;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Api {
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** @throws {Error} for what is not done */
  done(method: string, path: string, body?: unknown): Promise<Reply>;
  /** The administrator signs in with a browser. */
  signIn(): Promise<void>;
}

export async function createApi(console: RunningConsole): Promise<Api> {
  const tokens: Readonly<Record<Caller, string | undefined>> = {
    nobody: undefined,
    admin: await apiToken(console),
    ofMembers: await machineToken(console),
    viewer: await apiToken(console, 'app:Viewer'),
    metricsViewer: await apiToken(console, 'app:MetricsViewer'),
    otherScope: await tokenOf(console, 'other-scope', 'api:refusals:write'),
    reader: await tokenOf(console, 'reader', 'api:*:read'),
    changer: await tokenOf(console, 'changer', 'api:roles:write api:users:write'),
  };

  async function call(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
    const { as = 'admin', body, headers } = options;
    const token = tokens[as];
    const response = await fetch(`${console.url}/api/v1${path}`, {
      method,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status === 429) {
      await pause(Number(response.headers.get('retry-after') ?? 1) * 1000);
      return call(method, path, options);
    }
    return { status: response.status, text, body: parsed(text), headers: response.headers };
  }

  return {
    call,
    async signIn() {
      await createUserAgent(console.url).signIn();
    },
    async done(method, path, body) {
      const reply = await call(method, path, { body });
      if (reply.status < 300) return reply;
      throw new Error(`${method} ${path} is answered ${reply.status}: ${reply.text}`);
    },
  };
}

/** Of a machine with these scopes and no role. */
async function tokenOf(console: RunningConsole, id: string, scope: string): Promise<string> {
  const added = await toolDone(['client', 'add', id, '--scope', scope, '--json'], {
    dataDir: console.dataDir,
  });
  const { secret } = added.json<{ secret: string }>();
  let token = '';
  await until(async () => {
    const response = await fetch(`${console.url}/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
    });
    token = ((await response.json()) as { access_token?: string }).access_token ?? '';
    return token !== '';
  }, 'a token of the client');
  return token;
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
