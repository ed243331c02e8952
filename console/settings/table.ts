/** The one table of settings: names, checks, defaults and what each is for. */
import * as check from '../../platform/checks.ts';
import { isLoopback } from './loopback.ts';
import { memberCredentials } from './member-credentials.ts';
import { otlpHeaders } from './otlp-headers.ts';

/** What a default may depend on. */
export interface Known {
  readonly url: string;
  readonly applicationAddresses: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly isTerminal: boolean;
}

/** A default that follows from another setting, and how the table names it. */
export interface DerivedDefault {
  readonly meaning: string;
  /** Undefined: there is none. */
  readonly from: (known: Known) => string | undefined;
}

export interface Setting<T> {
  /** Environment names, the one to show first. */
  readonly env: readonly string[];
  readonly check: check.Check<Exclude<T, undefined>>;
  /** Checked like any other value; absent: the setting may stay unset. */
  readonly default?: string | DerivedDefault;
  readonly meaning: string;
  /** Never shown; may come from a file that `NAME_FILE` names; has no command-line flag of its own. */
  readonly isSecret: boolean;
}

/** Relative to the working directory. */
export const defaultDataDir = './data';

/**
 * Every setting. `docs/settings.md` lists the same rows, and a test compares the two. Settings that
 * others derive their default from (`url`, `applicationAddresses`, `trustedProxies`) stand before those.
 */
export const settingsTable = {
  url: setting('CONSOLE_URL', check.httpOrigin, 'http://localhost:8080', 'public address, also the issuer'),
  host: optional('CONSOLE_HOST', check.listeningHost, 'listening address; unset = loopback, both families'),
  port: setting(
    'CONSOLE_PORT',
    check.integer(0, 65_535, 'a port'),
    {
      meaning: 'port of `CONSOLE_URL`, or 8080',
      from: ({ url }) => new URL(url).port || '8080',
    },
    'listening port; 0 = any free one',
  ),
  managementPort: optional(
    'CONSOLE_MANAGEMENT_PORT',
    check.integer(1, 65_535, 'a port'),
    'a second port that answers `/live`, `/ready` and `/metrics` alone, at the same address; unset = none',
  ),
  dataDir: setting(
    'CONSOLE_DATA_DIR',
    check.path,
    defaultDataDir,
    'directory of the embedded store and of `console.yaml`',
  ),
  configDir: optional(
    'CONSOLE_CONFIG_DIR',
    check.path,
    'directory of files of configuration, applied at the start and when they change; unset = none',
  ),
  applicationClientSecret: secret(
    'CONSOLE_APPLICATION_CLIENT_SECRET',
    check.clientSecret,
    'creates client `application-client`; unset = no client-credentials grant for it. Fewer than 32 characters is a warning, an error with `CONSOLE_STRICT`',
  ),
  adminUsername: optional(
    'CONSOLE_ADMIN_USERNAME',
    check.userName,
    'first administrator, created when there is no user yet; unset = the start prints a one-time set-up link',
  ),
  adminPassword: secret('CONSOLE_ADMIN_PASSWORD', check.password, 'password of that administrator'),
  members: setting(
    'CONSOLE_MEMBERS',
    check.listOf(check.memberAddress),
    { meaning: 'the embedded member', from: () => '' },
    'comma-separated member base addresses; unset = start and use the embedded member',
  ),
  memberPrefix: optional(
    'CONSOLE_MEMBER_PREFIX',
    check.oneOf('svc', 'hazelcast'),
    'first path segment at the members (`svc` or `hazelcast`); unset = detected',
  ),
  memberDiscovery: setting(
    'CONSOLE_MEMBER_DISCOVERY',
    check.trueOrFalse,
    'false',
    'use the members too that those of `CONSOLE_MEMBERS` name in `GET /svc/rest/cluster`',
  ),
  memberUsername: setting(
    'CONSOLE_MEMBER_USERNAME',
    check.anyText,
    'dev',
    'what the proxy puts into empty cluster name fields of positional bodies',
  ),
  memberPassword: secret(
    'CONSOLE_MEMBER_PASSWORD',
    check.secretText,
    'what the proxy puts into empty password fields of positional bodies',
  ),
  memberCredentials: secret(
    'CONSOLE_MEMBER_CREDENTIALS',
    memberCredentials,
    'JSON list of `{"members": […], "username": "…", "password": "…"}`: members that take these instead',
  ),
  tlsCert: optional('CONSOLE_TLS_CERT', check.path, 'PEM file of the certificate chain: serve HTTPS'),
  tlsKey: optional('CONSOLE_TLS_KEY', check.path, 'PEM file of its private key'),
  trustedProxies: setting(
    'CONSOLE_TRUSTED_PROXIES',
    check.listOf(check.addressOrSubnet),
    { meaning: 'none', from: () => '' },
    'comma-separated addresses or subnets whose `X-Forwarded-For` counts',
  ),
  outboundAllow: setting(
    'CONSOLE_OUTBOUND_ALLOW',
    check.listOf(check.hostOrSubnet),
    { meaning: 'none', from: () => '' },
    'comma-separated host names, addresses or subnets at which the console may call private and loopback addresses, for logout notices and the like',
  ),
  auditSyslog: optional(
    'CONSOLE_AUDIT_SYSLOG',
    check.syslogAddress,
    '`host:port` of a syslog server with TLS that gets the audit; unset = none',
  ),
  auditSyslogFormat: setting(
    'CONSOLE_AUDIT_SYSLOG_FORMAT',
    check.oneOf('json', 'cef'),
    'json',
    'what its messages carry: the entry as it is stored, or CEF',
  ),
  auditSyslogCa: optional(
    'CONSOLE_AUDIT_SYSLOG_CA',
    check.path,
    "PEM file of the authority of its certificate; unset = the system's",
  ),
  auditWebhook: optional(
    'CONSOLE_AUDIT_WEBHOOK',
    check.httpAddress,
    'address that gets the audit by POST, signed; https, or loopback; unset = none',
  ),
  auditWebhookSecret: secret(
    'CONSOLE_AUDIT_WEBHOOK_SECRET',
    check.clientSecret,
    'what its requests are signed with',
  ),
  databaseUrl: secret(
    'CONSOLE_DATABASE_URL',
    check.postgresUrl,
    '`postgres://…`: users, clients, sessions, tokens and the audit are kept there instead of in `CONSOLE_DATA_DIR`, where entries of the audit wait while it is away; several consoles may share one. Unset = embedded store',
  ),
  databaseListenUrl: secret(
    'CONSOLE_DATABASE_LISTEN_URL',
    check.postgresUrl,
    '`postgres://…`: where the database itself is, when `CONSOLE_DATABASE_URL` leads to it through PgBouncer: it is listened to there for changes of others (`LISTEN`). Unset = at `CONSOLE_DATABASE_URL`',
  ),
  allowInsecureHttp: setting(
    'CONSOLE_ALLOW_INSECURE_HTTP',
    check.trueOrFalse,
    'false',
    'permits an `http:` issuer that is not loopback',
  ),
  strict: setting('CONSOLE_STRICT', check.trueOrFalse, 'false', 'turns every start-up warning into an error'),
  accessTokenTtlSeconds: setting(
    'CONSOLE_ACCESS_TOKEN_TTL',
    check.integer(30, 3600, 'seconds'),
    '300',
    'life of an access token, 30 to 3600 seconds',
  ),
  audience: setting(
    'CONSOLE_AUDIENCE',
    check.resourceUri,
    { meaning: '`<CONSOLE_URL>/svc`', from: ({ url }) => `${url}/svc` },
    'audience (`aud`) of access tokens for the members; those for the admin API have `<CONSOLE_URL>/api`',
  ),
  encryptionKey: secret(
    'CONSOLE_ENCRYPTION_KEY',
    check.encryptionKey,
    '32 bytes, base64 or hexadecimal: encrypts signing keys and secrets of identity providers in the store',
  ),
  encryptionKeyFallback: secret(
    'CONSOLE_ENCRYPTION_KEY_FALLBACK',
    check.encryptionKey,
    'opens what `CONSOLE_ENCRYPTION_KEY` does not, and encrypts nothing: the key before, or the next one, while one replaces the other',
  ),
  keyRotationDays: setting(
    'CONSOLE_KEY_ROTATION_DAYS',
    check.integer(1, 3650, 'days'),
    '90',
    'age at which a signing key is replaced',
  ),
  passwordMinLength: setting(
    'CONSOLE_PASSWORD_MIN_LENGTH',
    check.integer(12, 128, 'characters'),
    '12',
    'shortest password, 12 to 128 characters',
  ),
  sessionIdleSeconds: setting(
    'CONSOLE_SESSION_IDLE_SECONDS',
    check.integer(60, 1800, 'seconds'),
    '1800',
    'a sign-in ends after this long without use, 60 to 1800 seconds',
  ),
  sessionMaxSeconds: setting(
    'CONSOLE_SESSION_MAX_SECONDS',
    check.integer(300, 43_200, 'seconds'),
    '43200',
    'a sign-in ends after this long in any case, 300 to 43200 seconds',
  ),
  httpConnections: setting(
    'CONSOLE_HTTP_CONNECTIONS',
    check.integer(16, 1_000_000, 'connections'),
    '32000',
    'open connections; beyond them only `/live` and `/ready` are answered. Never more than the open files of the process allow',
  ),
  httpConnectionsPerSource: setting(
    'CONSOLE_HTTP_CONNECTIONS_PER_SOURCE',
    check.integer(1, 1_000_000, 'connections'),
    '24000',
    'of these, connections of one address; those of `CONSOLE_TRUSTED_PROXIES` are not counted',
  ),
  httpRequests: setting(
    'CONSOLE_HTTP_REQUESTS',
    check.integer(4, 100_000, 'requests'),
    '1024',
    'requests to pages and endpoints of the console under way at the same time; further ones wait up to 10 seconds',
  ),
  httpRequestsPerSource: setting(
    'CONSOLE_HTTP_REQUESTS_PER_SOURCE',
    check.integer(1, 100_000, 'requests'),
    '256',
    'of these, requests of one address: the caller behind a trusted proxy, not the proxy',
  ),
  httpHeadSeconds: setting(
    'CONSOLE_HTTP_HEAD_TIMEOUT',
    check.integer(1, 300, 'seconds'),
    '10',
    'longest time in which the head of a request has to arrive, 1 to 300 seconds',
  ),
  httpBodySeconds: setting(
    'CONSOLE_HTTP_BODY_TIMEOUT',
    check.integer(1, 300, 'seconds'),
    '30',
    'what a request body may take beyond one second for each KiB, 1 to 300 seconds',
  ),
  proxyBodyLimitBytes: setting(
    'CONSOLE_PROXY_BODY_LIMIT',
    check.integer(1024, 2 ** 30, 'bytes'),
    '10485760',
    'largest request body that the proxy forwards, in bytes',
  ),
  apiReadRate: setting(
    'CONSOLE_API_READ_RATE',
    check.integer(0, 1_000_000, 'calls'),
    '200',
    'calls a second of the admin API that change nothing, of one caller, a machine or a person; 0 for no limit',
  ),
  apiChangeRate: setting(
    'CONSOLE_API_CHANGE_RATE',
    check.integer(0, 1_000_000, 'calls'),
    '20',
    'changes a second by the admin API, of one caller; 0 for no limit',
  ),
  approvalsRequire: setting(
    'CONSOLE_APPROVALS_REQUIRE',
    check.listOf(check.operationName),
    { meaning: 'none', from: () => '' },
    'changes that a second administrator has to agree with: ids of operations, or objects for all their changes, such as `roles,updateClient`',
  ),
  elevationMinutes: setting(
    'CONSOLE_ELEVATION_MINUTES',
    check.integer(1, 60, 'minutes'),
    '60',
    'how long somebody has an eligible role at most, 1 to 60 minutes',
  ),
  usageDays: setting(
    'CONSOLE_USAGE_DAYS',
    check.integer(0, 400, 'days'),
    '90',
    'how long is kept who has used which permission, up to 400 days; what-if and reports look back no further; 0: nothing is counted',
  ),
  proxyDataRate: setting(
    'CONSOLE_PROXY_DATA_RATE',
    check.integer(0, 1_000_000, 'calls'),
    '0',
    'calls a second that one caller, a machine or a person, may make to maps, queues and health; 0 for no limit',
  ),
  proxyManagementRate: setting(
    'CONSOLE_PROXY_MANAGEMENT_RATE',
    check.integer(0, 1_000_000, 'calls'),
    '200',
    'calls a second that one caller, a machine or a person, may make to all other groups; 0 for no limit',
  ),
  proxyPolls: setting(
    'CONSOLE_PROXY_POLLS',
    check.integer(0, 1_000_000, 'polls'),
    '1000',
    'queue polls of one caller that may wait at the same time; 0 for no limit',
  ),
  proxyPollsPerMember: setting(
    'CONSOLE_PROXY_POLLS_PER_MEMBER',
    check.integer(0, 10_000, 'polls'),
    '12',
    'queue polls that one member of `CONSOLE_MEMBERS` holds at the same time, each with one of its 16 workers; 0 for no limit',
  ),
  proxyReplyStallSeconds: setting(
    'CONSOLE_PROXY_REPLY_STALL',
    check.integer(1, 3600, 'seconds'),
    '60',
    'a caller who takes nothing of a reply, of a member or of the console, for this long is cut off, 1 to 3600 seconds',
  ),
  jwksUri: setting(
    'CONSOLE_JWKS_URI',
    check.httpAddress,
    { meaning: '`<CONSOLE_URL>/oauth2/jwks`', from: ({ url }) => `${url}/oauth2/jwks` },
    '`npm run proxy`: where the console publishes its keys; its revocation events come from the same host',
  ),
  otlpEndpoint: optional(
    'CONSOLE_OTLP_ENDPOINT',
    check.httpAddress,
    'base address of a collector of OpenTelemetry that takes OTLP over HTTP, such as `http://localhost:4318`; unset = traces and numbers are sent nowhere',
  ),
  otlpHeaders: secret(
    'CONSOLE_OTLP_HEADERS',
    otlpHeaders,
    'header fields for it, `name=value` with a comma between, values percent-encoded',
  ),
  otlpTracesPercent: setting(
    'CONSOLE_OTLP_TRACES',
    check.integer(0, 100, 'percent'),
    '10',
    'of 100 traces that begin here, so many are recorded; of those that a caller brings, the ones that it records',
  ),
  otlpMetricsSeconds: setting(
    'CONSOLE_OTLP_METRICS',
    check.integer(5, 3600, 'seconds'),
    '60',
    'how often numbers are sent, 5 to 3600 seconds',
  ),
  proxyUrl: optional(
    'CONSOLE_PROXY_URL',
    check.httpOrigin,
    '`npm run proxy`: its public address, which DPoP proofs name; unset = where it listens',
  ),
  proxyClientId: optional(
    'CONSOLE_PROXY_CLIENT_ID',
    check.anyText,
    '`npm run proxy`: the client as which it reads revocation events',
  ),
  proxyClientSecret: secret('CONSOLE_PROXY_CLIENT_SECRET', check.clientSecret, 'secret of that client'),
  proxyNewsGraceSeconds: setting(
    'CONSOLE_PROXY_NEWS_GRACE',
    check.integer(2, 300, 'seconds'),
    '5',
    '`npm run proxy`: without a sign of the console for this long it lets no call pass, 2 to 300 seconds',
  ),
  workers: setting(
    'CONSOLE_WORKERS',
    check.integer(1, 64, 'processes'),
    '1',
    'processes that answer, 1 to 64, of the console or of `npm run proxy`; from 2 on one more owns the store, or follows the console, and answers nobody',
  ),
  shutdownDelaySeconds: setting(
    'CONSOLE_SHUTDOWN_DELAY',
    check.integer(0, 60, 'seconds'),
    {
      meaning: '`10` with `CONSOLE_TRUSTED_PROXIES`, else `0`',
      from: ({ trustedProxies }) => (trustedProxies.length > 0 ? '10' : '0'),
    },
    'from SIGTERM on it is not ready and answers all the same, for so long, before it ends: time for a load balancer to find out; up to 60 seconds',
  ),
  logLevel: setting(
    'CONSOLE_LOG_LEVEL',
    check.oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'least level that is logged; audit lines are logged at every level but `silent`',
  ),
  callKeysMinutes: setting(
    'CONSOLE_CALL_KEYS_MINUTES',
    check.integer(0, 1440, 'minutes'),
    '0',
    'minutes for which the last keys of a map that were called through the console are listed on its page, in memory alone; 0: none is kept',
  ),
  auditDays: optional(
    'CONSOLE_AUDIT_DAYS',
    check.integer(1, 36_500, 'days'),
    'age at which closed files of the audit are removed, or its rows in PostgreSQL; unset: they stay',
  ),
  auditBytes: optional(
    'CONSOLE_AUDIT_BYTES',
    check.integer(1_000_000, Number.MAX_SAFE_INTEGER, 'bytes'),
    'size of all closed files of the audit, or of its lines in PostgreSQL, from which on the oldest are removed; unset: they stay',
  ),
  logFormat: setting(
    'CONSOLE_LOG_FORMAT',
    check.oneOf('pretty', 'json'),
    {
      meaning: '`pretty` on a terminal, else `json`',
      from: ({ isTerminal }) => (isTerminal ? 'pretty' : 'json'),
    },
    'form of log lines',
  ),
  memberPort: setting('MEMBER_PORT', check.integer(0, 65_535, 'a port'), '5701', "the member's port"),
  memberHost: setting('MEMBER_HOST', check.listeningHost, '127.0.0.1', "the member's address"),
  memberConfig: optional(
    'MEMBER_CONFIG',
    check.path,
    "the member's configuration file, YAML or XML; unset = built in",
  ),
  applicationAddresses: setting(
    'SVC_MC_APP_ADDRESSES',
    check.listOrNone(check.httpAddress),
    {
      meaning: '`http://localhost:9021` where `CONSOLE_URL` is loopback, else unset',
      // S97: no client that nobody has set up; on one's own machine the one that comes along.
      from: ({ url }) => (isLoopback(new URL(url).hostname) ? 'http://localhost:9021' : ''),
    },
    "public addresses of the application's nodes: redirect, logout and CORS origins follow from them; `none`: there is no such application",
  ),
  applicationInternalAddress: setting<string | undefined>(
    'SVC_MC_APP_INTERNALADDRESS',
    check.httpAddress,
    {
      meaning: 'first of `SVC_MC_APP_ADDRESSES`',
      from: ({ applicationAddresses }) => applicationAddresses[0],
    },
    'where the console sends licence updates',
  ),
  dashboardIssuerUrl: setting(
    'APP_SECURITY_OPENIDP_ISSUERURL APP_SECURITY_OPENIDP_ISSUER_URL',
    check.httpAddress,
    { meaning: '`CONSOLE_URL`', from: ({ url }) => url },
    "the dashboard's issuer; must resolve from the browser",
  ),
  dashboardJwksUri: setting(
    'APP_SECURITY_OPENIDP_JWKSURI APP_SECURITY_OPENIDP_JWKS_URI',
    check.httpAddress,
    { meaning: '`<CONSOLE_URL>/oauth2/jwks`', from: ({ url }) => `${url}/oauth2/jwks` },
    "the dashboard's key set; must resolve from the dashboard's host",
  ),
  dashboardRequireHttps: setting(
    'APP_SECURITY_OPENIDP_REQUIREHTTPS APP_SECURITY_OPENIDP_REQUIRE_HTTPS',
    check.trueOrFalse,
    'false',
    'whether the dashboard insists on HTTPS',
  ),
} as const;

export type SettingKey = keyof typeof settingsTable;

/** The checked value of each setting. */
export type SettingValues = {
  readonly [K in SettingKey]: (typeof settingsTable)[K] extends Setting<infer T> ? T : never;
};

/** @param names  environment names, separated by spaces */
function setting<T>(
  names: string,
  check: check.Check<T>,
  fallback: string | DerivedDefault,
  meaning: string,
): Setting<T> {
  return {
    env: names.split(' '),
    check: check as Setting<T>['check'],
    default: fallback,
    meaning,
    isSecret: false,
  };
}

function optional<T>(name: string, check: check.Check<T>, meaning: string): Setting<T | undefined> {
  return { env: [name], check: check as Setting<T | undefined>['check'], meaning, isSecret: false };
}

function secret<T>(name: string, check: check.Check<T>, meaning: string): Setting<T | undefined> {
  return { ...optional(name, check, meaning), isSecret: true };
}
