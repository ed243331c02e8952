import { isLoopback } from './loopback.ts';
import type { SettingKey, SettingValues } from './table.ts';

export interface Verdict {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

const clientSecretMinLength = 32;

export const tlsMissingWarning =
  'CONSOLE_URL is https, and what listens here speaks plain HTTP: CONSOLE_TLS_CERT is unset, and CONSOLE_TRUSTED_PROXIES names no proxy that could end TLS';

/** @param isGiven  whether a setting has a value, be it one that was refused */
export type Validate = (settings: SettingValues, isGiven: (key: SettingKey) => boolean) => Verdict;

/** What is wrong or doubtful about settings together, for a console. */
const fallbackAlone = 'CONSOLE_ENCRYPTION_KEY_FALLBACK goes with CONSOLE_ENCRYPTION_KEY: set that one too';

export const validateSettings: Validate = (settings, isGiven) => {
  const problems: string[] = [];
  const warnings: string[] = [];
  const isPlainHttp = new URL(settings.url).protocol === 'http:';

  // S87: codes, passwords and tokens would cross the network in clear text.
  if (isPlainHttp && !isLoopback(new URL(settings.url).hostname)) {
    if (settings.allowInsecureHttp) {
      warnings.push('CONSOLE_URL is http: and not loopback: passwords and tokens travel in clear text');
    } else {
      problems.push(
        'CONSOLE_URL must be https unless it is loopback (CONSOLE_ALLOW_INSECURE_HTTP=true permits it)',
      );
    }
  } else if (isPlainHttp && settings.host !== undefined && !isLoopback(settings.host)) {
    warnings.push(
      'CONSOLE_HOST is not loopback and CONSOLE_URL is http: anyone on the network can listen in',
    );
  }
  if (isPlainHttp && settings.tlsCert !== undefined)
    problems.push('CONSOLE_TLS_CERT needs an https CONSOLE_URL');
  const isServedElsewhere = settings.trustedProxies.length > 0;
  if (!isPlainHttp && settings.tlsCert === undefined && !isServedElsewhere) {
    warnings.push(tlsMissingWarning);
  }
  if (settings.audience === `${settings.url}/api`) {
    problems.push(
      'CONSOLE_AUDIENCE is the audience of the admin API: tokens for the members would open it, so choose another',
    );
  }
  problems.push(...credentialProblems(settings));

  const { applicationInternalAddress: internal } = settings;
  const unusable = internal === undefined ? undefined : internalAddressWarning(internal);
  if (unusable !== undefined) warnings.push(unusable);

  const clientSecret = settings.applicationClientSecret?.reveal();
  if (clientSecret !== undefined && clientSecret.length < clientSecretMinLength) {
    warnings.push(
      `CONSOLE_APPLICATION_CLIENT_SECRET is shorter than ${clientSecretMinLength} characters: it can be guessed`,
    );
  }
  if (!isGiven('encryptionKey')) {
    warnings.push(
      'CONSOLE_ENCRYPTION_KEY is unset: signing keys and secrets of identity providers lie unencrypted in the store',
    );
    if (isGiven('encryptionKeyFallback')) problems.push(fallbackAlone);
  }

  const ofDatabase = validateDatabase(settings);
  problems.push(...ofDatabase.problems);
  warnings.push(...ofDatabase.warnings);
  if (isGiven('adminUsername') !== isGiven('adminPassword')) {
    problems.push('CONSOLE_ADMIN_USERNAME and CONSOLE_ADMIN_PASSWORD go together: set both or none');
  }
  const passwordLength = [...(settings.adminPassword?.reveal() ?? '')].length;
  if (settings.adminPassword !== undefined && passwordLength < settings.passwordMinLength) {
    problems.push(`CONSOLE_ADMIN_PASSWORD must have at least ${settings.passwordMinLength} characters`);
  }
  return { problems, warnings };
};

function validateDatabase(settings: SettingValues): Verdict {
  const { databaseUrl, databaseListenUrl, workers, members } = settings;
  const problems: string[] = [];
  const warnings: string[] = [];
  if (databaseUrl !== undefined && workers > 1) {
    problems.push('CONSOLE_WORKERS must be 1 with CONSOLE_DATABASE_URL: start further consoles instead');
  }
  if (databaseListenUrl !== undefined && databaseUrl === undefined) {
    problems.push('CONSOLE_DATABASE_LISTEN_URL goes with CONSOLE_DATABASE_URL: set both or that one alone');
  }
  // One database is what several consoles share, and a member inside each of them is not.
  if (databaseUrl !== undefined && members.length === 0) {
    warnings.push(
      'CONSOLE_MEMBERS is unset beside CONSOLE_DATABASE_URL: each console has a member of its own, and other maps and queues',
    );
  }
  return { problems, warnings };
}

/** The same for a member proxy that is a process of its own. */
export const validateProxySettings: Validate = (settings, isGiven) => {
  const problems: string[] = [];
  const warnings: string[] = [];
  if (settings.members.length === 0) {
    problems.push('CONSOLE_MEMBERS is missing: the proxy has no member of its own');
  }
  if (!isGiven('proxyClientId') || !isGiven('proxyClientSecret')) {
    problems.push(
      'CONSOLE_PROXY_CLIENT_ID and CONSOLE_PROXY_CLIENT_SECRET are missing: without them the console reports nothing of ' +
        'revoked tokens, and the proxy would let them pass. Make them where the console is, with ' +
        'npx console client add member-proxy --scope "api:revocations:read api:refusals:write"',
    );
  }
  const { protocol, hostname } = new URL(settings.jwksUri);
  if (protocol === 'http:' && !isThisMachine(hostname)) {
    problems.push(
      'CONSOLE_JWKS_URI must be https unless it is loopback: whoever changes keys on the way, opens everything',
    );
  }
  if (settings.tlsCert === undefined && settings.host !== undefined && !isLoopback(settings.host)) {
    warnings.push(
      'CONSOLE_HOST is not loopback and CONSOLE_TLS_CERT is unset: anyone on the network can read tokens',
    );
  }
  problems.push(...credentialProblems(settings));
  return { problems, warnings };
};

/** A misspelt address would leave its member with the password of another cluster. */
function credentialProblems({ memberCredentials, members, memberDiscovery }: SettingValues): string[] {
  const named = memberCredentials?.reveal().flatMap((set) => set.members) ?? [];
  const isUnknown = named.some((address) => !members.includes(address));
  if (!isUnknown || memberDiscovery) return [];
  return ['CONSOLE_MEMBER_CREDENTIALS names a member that is not in CONSOLE_MEMBERS'];
}

/**
 * The console calls nobody in clear text beyond this machine (S42).
 *
 * @returns why it will never call this address; nothing when it may
 */
export function internalAddressWarning(address: string): string | undefined {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || isThisMachine(hostname)) return undefined;
  return 'SVC_MC_APP_INTERNALADDRESS is http: and not loopback: the application gets neither logout notices nor licence updates';
}

/** Where the console calls in clear text: loopback by its own names. */
function isThisMachine(hostname: string): boolean {
  return isLoopback(hostname) && !hostname.endsWith('.localhost');
}
