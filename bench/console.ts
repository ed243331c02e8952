/** The console as it is built, with a store of its own. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../console/storage/embedded/open.ts';
import type { ClientRecord, TokenAlg } from '../console/storage/records.ts';
import { freePort } from '../test/helpers/ports.ts';
import { clientId, clientSecret, es256ClientId } from './peers/common.ts';
import type { ServerProcess, Servers } from './servers.ts';

export interface ConsoleOptions {
  readonly name: string;
  readonly dataDir: string;
  /** Another checkout's root instead of this one's. */
  readonly checkout?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

export function consoleIsBuilt(): boolean {
  return existsSync(new URL('../dist/console/main.js', import.meta.url));
}

/** Starts the console with its embedded member, both on free ports, and waits until it says that it is ready. */
export async function startConsole(
  servers: Servers,
  { name, dataDir, checkout, env }: ConsoleOptions,
): Promise<ServerProcess> {
  const [port, memberPort] = [await freePort(), await freePort()];
  return servers.start({
    name,
    args: ['dist/console/main.js'],
    checkout,
    ready: /console ready at (\S+)/,
    env: {
      CONSOLE_URL: `http://127.0.0.1:${port}`,
      CONSOLE_DATA_DIR: dataDir,
      CONSOLE_APPLICATION_CLIENT_SECRET: clientSecret,
      MEMBER_PORT: `${memberPort}`,
      ...env,
    },
  });
}

/** For the admin API, of the machine that every console has from the start. */
export async function apiToken(url: string): Promise<string> {
  const granted = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: `${url}/api` }),
  });
  return ((await granted.json()) as { readonly access_token: string }).access_token;
}

/** Data directories that go when the `using` scope ends. */
export function createDataDirs() {
  const root = mkdtempSync(join(tmpdir(), 'console-bench-'));
  return {
    path: (name: string): string => join(root, name),
    [Symbol.dispose](): void {
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export type DataDirs = ReturnType<typeof createDataDirs>;

/**
 * Registers machine clients in a store before a console opens it: the one that gets ES256 tokens,
 * and as many more as asked for.
 */
export async function registerClients(dataDir: string, extraClients: number): Promise<void> {
  const storage = await openStorage({ dataDir, role: 'tool' });
  try {
    await storage.records.change(async (transaction) => {
      transaction.put('clients', machineClient(es256ClientId, 'ES256'));
      for (let i = 0; i < extraClients; i++)
        transaction.put('clients', machineClient(`${clientId}-${i}`, 'RS256'));
    });
  } finally {
    await storage.close();
  }
}

function machineClient(id: string, tokenAlg: TokenAlg): ClientRecord {
  return {
    id,
    isPublic: false,
    isFirstParty: false,
    disabled: false,
    secrets: [{ sha256: createHash('sha256').update(clientSecret).digest('base64url'), createdAt: 0 }],
    grantTypes: ['client_credentials'],
    redirectUris: [],
    postLogoutRedirectUris: [],
    scopes: ['openid', 'email', 'profile', 'app:Viewer'],
    tokenAlg,
    tokenTyp: 'JWT',
    createdAt: 0,
  };
}
