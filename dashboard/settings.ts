/** Every setting of the dashboard: name, default, check. */
import type { WatchedEntry } from './metrics/watched.ts';

export interface Settings {
  /** The console's public address, without a trailing slash: what browsers are sent to, and `iss` of tokens. */
  readonly issuer: string;
  /** Key set address; its origin is also where this process itself reaches the console. */
  readonly jwksUri: string;
  readonly requiresHttps: boolean;
  /** Public addresses of this application's nodes, without a trailing slash. */
  readonly addresses: readonly string[];
  /** `aud` that access tokens must carry. */
  readonly audience: string;
  /** Undefined: loopback, both families. */
  readonly host: string | undefined;
  readonly port: number;
  /** Queues that are shown to everybody from the start. */
  readonly queues: readonly string[];
  /** Entries of maps that are. */
  readonly entries: readonly WatchedEntry[];
  /** Access tokens are renewed when they have less left than this; undefined: a fifth of their life. */
  readonly renewBeforeSeconds: number | undefined;
}

/** Settings that nothing can be started with, all at once. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Property names as the product documents them; each may also be written as `APP_SECURITY_…`. */
const properties = {
  issuerUrl: 'app.security.openIdp.issuerUrl',
  jwksUri: 'app.security.openIdp.jwks-uri',
  requireHttps: 'app.security.openIdp.require-https',
  audience: 'app.security.openIdp.audience',
  renewBefore: 'app.security.openIdp.renew-before',
  addresses: 'svc.mc.app.addresses',
  host: 'app.server.host',
  port: 'app.server.port',
  queues: 'app.metrics.queues',
  entries: 'app.metrics.entries',
} as const;

const defaultConsole = 'http://localhost:8080';
const defaultAddress = 'http://localhost:9021';
const defaultPort = 9021;

/**
 * @param env   environment; `APP_SECURITY_OPENIDP_JWKSURI`, `…_JWKS_URI` and the property name itself are one
 * @param argv  `--app.security.openIdp.issuerUrl=…` and the like; these win
 * @throws {SettingsError} with every problem, not only the first
 */
export function loadSettings(env: Environment, argv: readonly string[] = []): Settings {
  const problems: string[] = [];
  const given = collect(env, argv, problems);
  const read = <T>(property: string, fallback: string, parse: (text: string) => T): T | undefined => {
    try {
      return parse(given.get(canonical(property)) || fallback);
    } catch (error) {
      problems.push(`${property} ${(error as Error).message}`);
      return undefined;
    }
  };

  const issuer = read(properties.issuerUrl, env.CONSOLE_URL || defaultConsole, httpAddress);
  const jwksUri = read(properties.jwksUri, `${issuer ?? defaultConsole}/oauth2/jwks`, httpAddress);
  const requiresHttps = read(properties.requireHttps, 'false', trueOrFalse);
  const addresses = read(properties.addresses, defaultAddress, addressList);
  const ownPort = new URL(addresses?.[0] ?? defaultAddress).port || String(defaultPort);
  const settings = {
    issuer,
    jwksUri,
    requiresHttps,
    addresses,
    audience: read(properties.audience, `${issuer}/svc`, (text) => text),
    host: given.get(canonical(properties.host)) || undefined,
    port: read(properties.port, ownPort, wholeNumber(65_535, 1)),
    queues: read(properties.queues, 'jobs', (text) => listOf(text)),
    entries: read(properties.entries, '', (text) => listOf(text).map(entryIn)),
    renewBeforeSeconds: read(properties.renewBefore, '', (text) =>
      text ? wholeNumber(3600)(text) : undefined,
    ),
  };
  if (requiresHttps) {
    for (const address of [issuer, jwksUri, ...(addresses ?? [])]) {
      if (address?.startsWith('http:'))
        problems.push(`${properties.requireHttps} is true, but ${address} is not https`);
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.freeze(settings as Settings);
}

/** Values by canonical name. A misspelt security setting is an error, not a default in silence. */
function collect(env: Environment, argv: readonly string[], problems: string[]): Map<string, string> {
  const known = new Set(Object.values(properties).map(canonical));
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    const key = canonical(name);
    if (known.has(key) && value !== undefined) found.set(key, value.trim());
    else if (key.startsWith('APPSECURITY'))
      problems.push(`${printable(name)} is not a setting of the dashboard`);
  }
  for (const argument of argv) {
    const [, name, value] = /^--([\w.-]+)=(.*)$/s.exec(argument) ?? [];
    if (name !== undefined && known.has(canonical(name))) found.set(canonical(name), value?.trim() ?? '');
    else
      problems.push(
        `${printable(argument)} is not understood; flags look like --${properties.issuerUrl}=https://…`,
      );
  }
  return found;
}

/** One spelling for `app.security.openIdp.jwks-uri` and `APP_SECURITY_OPENIDP_JWKS_URI`. */
function canonical(name: string): string {
  return name.toUpperCase().replace(/[._-]/g, '');
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}

function httpAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || url.username || url.password || url.search || url.hash) {
    throw new Error('must be an http or https address without user, query or fragment');
  }
  return text.replace(/\/$/, '');
}

function addressList(text: string): readonly string[] {
  return listOf(text).map((entry) => {
    const address = httpAddress(entry);
    if (new URL(address).origin !== address) throw new Error('must list addresses without a path');
    return address;
  });
}

/** `orders/a1`: the name of a map has no slash here, its key may have some. */
function entryIn(text: string): WatchedEntry {
  const at = text.indexOf('/');
  if (at < 1 || at === text.length - 1) throw new Error('must list entries as map/key');
  return { map: text.slice(0, at), key: text.slice(at + 1) };
}

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error('must be true or false');
  return text === 'true';
}

function wholeNumber(most: number, least = 0): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,6}$/.test(text) || value < least || value > most) {
      throw new Error(`must be a whole number from ${least} to ${most}`);
    }
    return value;
  };
}
