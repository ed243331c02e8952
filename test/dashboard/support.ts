/** A real console and a real dashboard beside it, each a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { exportJWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { toolDone } from '../helpers/commands.ts';
import { admin, freePort, logIn, type RunningConsole, startConsole, waitFor } from '../helpers/console.ts';

const root = resolve(import.meta.dirname, '../..');
const mainScript = join(root, 'dist/dashboard/main.js');

export interface RunningDashboard {
  readonly url: string;
  readonly child: ChildProcess;
  log(): Record<string, unknown>[];
  output(): string;
  stop(): Promise<number | null>;
}

export interface DashboardOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly port?: number;
}

export async function startDashboard({ env = {}, port }: DashboardOptions = {}): Promise<RunningDashboard> {
  const ownPort = port ?? (await freePort());
  const url = `http://localhost:${ownPort}`;
  const { child, output, exited } = spawnDashboard({ SVC_MC_APP_ADDRESSES: url, ...env });
  await waitFor(() => output().includes('dashboard ready at') || child.exitCode !== null, 'dashboard ready');
  if (child.exitCode !== null) throw new Error(`the dashboard exited with ${child.exitCode}\n${output()}`);
  return {
    url,
    child,
    output,
    log: () => logIn(output()),
    stop() {
      if (child.exitCode === null) child.kill('SIGTERM');
      return exited;
    },
  };
}

/** A start that is expected to fail. */
export async function runFailingDashboard(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
) {
  const { exited, output } = spawnDashboard(env, args);
  return { code: await exited, output: output() };
}

function spawnDashboard(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(CONSOLE|SVC|APP)_/.test(name));
  const child = spawn(process.execPath, [mainScript, ...args], {
    cwd: root,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  const exited = new Promise<number | null>((done) => child.once('close', done));
  return { child, output: () => text, exited };
}

export interface Pair {
  readonly console: RunningConsole;
  readonly dashboard: RunningDashboard;
  stop(): Promise<void>;
}

/** The two as people run them, on free ports. */
export async function startPair(
  options: { readonly console?: Record<string, string>; readonly dashboard?: Record<string, string> } = {},
): Promise<Pair> {
  const port = await freePort();
  const console = await startConsole({
    env: { SVC_MC_APP_ADDRESSES: `http://localhost:${port}`, ...options.console },
  });
  const env = { APP_SECURITY_OPENIDP_ISSUERURL: console.url, ...options.dashboard };
  const dashboard = await startDashboard({ port, env }).catch(async (error) => {
    await console.stop();
    throw error;
  });
  return {
    console,
    dashboard,
    async stop() {
      await dashboard.stop();
      await console.stop();
    },
  };
}

export const people = {
  admin: { ...admin, role: 'Admin' },
  viewer: { username: 'vera', password: 'tall-lamp-river-27-stone', role: 'Viewer' },
  metricsViewer: { username: 'milo', password: 'wide-road-cloud-81-paper', role: 'MetricsViewer' },
  nobody: { username: 'nina', password: 'soft-hill-train-63-glass', role: undefined },
} as const;

interface NewPerson {
  readonly username: string;
  readonly password: string;
  readonly role: string | undefined;
}

export async function addPerson(
  { dataDir }: RunningConsole,
  { username, password, role }: NewPerson,
): Promise<void> {
  const roles = role === undefined ? [] : ['--role', role];
  await toolDone(['user', 'add', username, ...roles, '--password-file', '-'], { dataDir, stdin: password });
}

export interface TestIssuer {
  readonly url: string;
  readonly jwksUri: string;
  /** Requests for what it does not have. */
  readonly otherRequests: string[];
  /** What the next code is good for. */
  nextSignIn(signIn: { readonly subject: string; readonly sid: string; readonly nonce: string | null }): void;
  sign(
    claims: Record<string, unknown>,
    header?: Partial<JWTHeaderParameters>,
    key?: KeyObject,
  ): Promise<string>;
  stop(): Promise<void>;
}

/** A small provider with a key set of three algorithms, for tokens that a console would never make. */
export async function startTestIssuer(): Promise<TestIssuer> {
  const keys = {
    RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
    ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    EdDSA: generateKeyPairSync('ed25519'),
  };
  const published = await Promise.all(
    Object.entries(keys).map(async ([alg, { publicKey }]) => ({
      ...(await exportJWK(publicKey)),
      alg,
      kid: alg,
      use: 'sig',
    })),
  );
  const otherRequests: string[] = [];
  let next = { subject: '', sid: '', nonce: null as string | null };
  const server = createServer(async (req, res) => {
    const answer = await answerOf(req.url ?? '');
    if (answer === undefined) otherRequests.push(`${req.method} ${req.url}`);
    res.writeHead(answer === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    jwksUri: `${url}/oauth2/jwks`,
    otherRequests,
    nextSignIn(signIn) {
      next = signIn;
    },
    sign,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };

  function sign(claims: Record<string, unknown>, header: Partial<JWTHeaderParameters> = {}, key?: KeyObject) {
    const alg = (header.alg ?? 'RS256') as keyof typeof keys;
    const all = { alg, kid: alg, typ: 'JWT', ...header };
    return new SignJWT(claims).setProtectedHeader(all).sign(key ?? keys[alg].privateKey);
  }

  async function answerOf(path: string): Promise<object | undefined> {
    if (path === '/oauth2/jwks') return { keys: published };
    if (path === '/.well-known/openid-configuration') {
      return {
        issuer: url,
        authorization_endpoint: `${url}/oauth2/authorize`,
        token_endpoint: `${url}/oauth2/token`,
        jwks_uri: `${url}/oauth2/jwks`,
        authorization_response_iss_parameter_supported: true,
      };
    }
    if (path !== '/oauth2/token') return undefined;
    const { subject, sid, nonce } = next;
    const idToken = {
      iss: url,
      aud: 'application-dashboard',
      sub: subject,
      sid,
      nonce,
      iat: seconds(),
      exp: seconds() + 60,
    };
    return {
      access_token: await sign({ ...accessClaims(url), sub: subject }),
      id_token: await sign(idToken),
      refresh_token: 'refresh',
      token_type: 'Bearer',
      expires_in: 60,
    };
  }
}

export function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Claims of a good access token of this issuer. */
export function accessClaims(url: string): Record<string, unknown> {
  return {
    iss: url,
    aud: `${url}/svc`,
    sub: 'somebody',
    client_id: 'some-client',
    scope: 'openid',
    roles: ['Viewer'],
    iat: seconds(),
    exp: seconds() + 60,
    jti: randomUUID(),
  };
}
