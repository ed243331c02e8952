/** Keycloak (set up by `test/peers/set-up-keycloak.sh`) as an OpenID and SAML provider. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../helpers/console.ts';
import { until } from '../../helpers/store.ts';
import { askShared, type Shared } from '../../once/ask.ts';

const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
/** The version that the set-up fetches. */
const home = join(cache, 'cluster-console/keycloak-26.0.8');
/** As the set-up made it, in the database that every start has a copy of. */
const administrator = { username: 'root', password: 'root-password-1' };

/** Behind the name of what is skipped; undefined when everything is there. */
export const whyNoKeycloak = missing();

/** Milliseconds that a start may take on a busy machine. */
export const keycloakStartMs = 180_000;

export interface Keycloak {
  /** `http://127.0.0.1:<port>`: another site than the console's `localhost`. */
  readonly origin: string;
  /** Makes a realm: its representation as in the admin REST API. @returns its address, the issuer */
  addRealm(representation: Representation): Promise<string>;
  /** The admin REST API beneath `/admin/realms`; text is sent as XML. @throws {Error} for every error */
  manage<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
}

export type Representation = Readonly<Record<string, unknown>> & { readonly realm: string };

/** The one of this run. Files run beside each other: each has names of its own for its realms. */
export async function openKeycloak(): Promise<Keycloak> {
  const { origin } = await askShared('keycloak');
  const manage = createManagement(origin);
  return {
    origin,
    async addRealm(representation) {
      await manage('POST', '', { enabled: true, sslRequired: 'none', ...representation });
      return `${origin}/realms/${representation.realm}`;
    },
    manage,
  };
}

/** For everybody who asks: its database goes with it. */
export async function startKeycloak(): Promise<{
  readonly answer: Shared['keycloak'];
  stop(): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'keycloak-'));
  await copyFile(join(home, 'data/h2/keycloakdb.mv.db'), join(folder, 'keycloakdb.mv.db'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const address = ['--http-enabled=true', '--http-host=127.0.0.1', `--http-port=${port}`];
  const database = `--db-url=jdbc:h2:file:${folder}/keycloakdb;NON_KEYWORDS=VALUE;DB_CLOSE_ON_EXIT=FALSE`;
  const args = ['start', '--optimized', '--cache=local', ...address, `--hostname=${origin}`, database];
  const child = spawn('sh', [join(home, 'bin/kc.sh'), ...args], {
    env: {
      PATH: process.env.PATH,
      JAVA_OPTS_APPEND: `-XX:TieredStopAtLevel=1 -Djava.io.tmpdir=${folder} -Dcom.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean.objectStoreDir=${folder}`,
    },
    // The script starts Java beneath it: both end together.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const isUp = async () => {
      if (child.exitCode !== null) throw new Error(`it exited with ${child.exitCode}`);
      return output.includes('Listening on:');
    };
    await until(isUp, 'Keycloak', keycloakStartMs);
  } catch (error) {
    await stop();
    throw new Error(`Keycloak did not start\n${output}`, { cause: error });
  }
  return { answer: { origin }, stop };
}

/** A token lives a minute, so each request has its own. */
function createManagement(origin: string): Keycloak['manage'] {
  return async <T>(method: string, path: string, body?: unknown) => {
    const token = await ask<{ access_token: string }>(
      `${origin}/realms/master/protocol/openid-connect/token`,
      {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...administrator }),
      },
    );
    return ask<T>(`${origin}/admin/realms${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token.access_token}`,
        'Content-Type': typeof body === 'string' ? 'application/xml' : 'application/json',
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  };
}

async function ask<T>(url: string, request: RequestInit): Promise<T> {
  const response = await fetch(url, request);
  const text = await response.text();
  if (!response.ok) throw new Error(`${request.method} ${url}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

function missing(): string | undefined {
  if (!existsSync(join(home, 'ready'))) {
    return ' (skipped: Keycloak is not set up here: test/peers/set-up-keycloak.sh)';
  }
  return spawnSync('java', ['-version']).status === 0 ? undefined : ' (skipped: java not installed)';
}
