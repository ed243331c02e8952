/** The identity provider of the demo: another console, where one more person has an account. */
import { randomBytes } from 'node:crypto';
import { type Change, createCalls, createChange } from './calls.ts';
import type { StartOptions } from './processes.ts';

export interface ProviderAccount {
  /** As the console calls the provider. */
  readonly provider: 'corp';
  /** Its issuer. */
  readonly url: string;
  /** Of the console there. */
  readonly clientSecret: string;
  /** Who has an account there. */
  readonly name: string;
  readonly password: string;
}

export interface ProviderOptions {
  readonly port: number;
  /** Of the console that people come from. */
  readonly consoleUrl: string;
  readonly memberUrl: string;
  readonly dataDir: string;
  readonly signal: AbortSignal;
}

const clientId = 'cluster-console';
const secret = () => randomBytes(32).toString('base64url');

/**
 * @param start  a console with these settings, until it is ready
 * @throws {Error} when it refuses what it is told
 */
export async function startProvider(
  { port, consoleUrl, memberUrl, dataDir, signal }: ProviderOptions,
  start: (env: StartOptions['env']) => Promise<void>,
): Promise<ProviderAccount> {
  // Cookies know no ports: beside a console at this name it has the other one.
  const host = new URL(consoleUrl).hostname === '127.0.0.1' ? 'localhost' : '127.0.0.1';
  const url = `http://${host}:${port}`;
  const machine = { id: 'application-client', secret: secret() };
  const [name, password] = ['paul', randomBytes(9).toString('base64url')];
  await start({
    CONSOLE_URL: url,
    CONSOLE_DATA_DIR: dataDir,
    CONSOLE_MEMBERS: memberUrl,
    CONSOLE_APPLICATION_CLIENT_SECRET: machine.secret,
    CONSOLE_ADMIN_USERNAME: name,
    CONSOLE_ADMIN_PASSWORD: password,
  });
  const change = createChange(createCalls(url, machine, signal, `${url}/api`));
  await change('PATCH', `/users/${name}`, { displayName: 'Paul Lang', email: 'paul@corp.example' });
  const made = (await change('POST', '/applications', {
    id: clientId,
    displayName: 'Cluster Console',
    firstParty: true,
    redirectUris: [`${consoleUrl}/login/callback/corp`],
    postLogoutUris: [`${consoleUrl}/login/logout/corp`],
    backchannelLogoutUri: `${consoleUrl}/login/backchannel/corp`,
  })) as { readonly secret: string };
  return { provider: 'corp', url, clientSecret: made.secret, name, password };
}

/** The same account at the console that people come from: everybody of the provider reads. */
export async function addProvider(
  change: Change,
  { provider, url, clientSecret }: Pick<ProviderAccount, 'provider' | 'url' | 'clientSecret'>,
): Promise<void> {
  await change('POST', '/identity-providers', {
    id: provider,
    kind: 'oidc',
    name: 'Corporate account',
    issuer: url,
    clientId,
    clientSecret,
    defaultRole: 'Viewer',
  });
}
