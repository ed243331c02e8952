import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { Secret } from '../secret.ts';
import type { SettingKey, SettingValues } from './table.ts';

export interface Verdict {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Certificate chain and private key, PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: Secret;
}

const clientSecretMinLength = 32;

/**
 * What is wrong or doubtful about settings together.
 *
 * @param isGiven  whether a setting has a value, be it one that was refused
 */
export function judgeSettings(settings: SettingValues, isGiven: (key: SettingKey) => boolean): Verdict {
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

  const unusable = internalAddressWarning(settings.applicationInternalAddress);
  if (unusable !== undefined) warnings.push(unusable);

  const clientSecret = settings.applicationClientSecret?.reveal();
  if (clientSecret !== undefined && clientSecret.length < clientSecretMinLength) {
    warnings.push(
      `CONSOLE_APPLICATION_CLIENT_SECRET is shorter than ${clientSecretMinLength} characters: it can be guessed`,
    );
  }
  if (!isGiven('encryptionKey')) {
    warnings.push('CONSOLE_ENCRYPTION_KEY is unset: signing keys lie unencrypted in the store');
  }

  if (settings.databaseUrl !== undefined) {
    problems.push(
      'CONSOLE_DATABASE_URL is of a later version: this one keeps everything in CONSOLE_DATA_DIR, so unset it',
    );
  }
  if (isGiven('adminUsername') !== isGiven('adminPassword')) {
    problems.push('CONSOLE_ADMIN_USERNAME and CONSOLE_ADMIN_PASSWORD go together: set both or none');
  }
  const passwordLength = [...(settings.adminPassword?.reveal() ?? '')].length;
  if (settings.adminPassword !== undefined && passwordLength < settings.passwordMinLength) {
    problems.push(`CONSOLE_ADMIN_PASSWORD must have at least ${settings.passwordMinLength} characters`);
  }
  return { problems, warnings };
}

/**
 * The console calls nobody in clear text beyond this machine (S42).
 *
 * @returns why it will never call this address; nothing when it may
 */
export function internalAddressWarning(address: string): string | undefined {
  const { protocol, hostname } = new URL(address);
  const isThisMachine = isLoopback(hostname) && !hostname.endsWith('.localhost');
  if (protocol === 'https:' || isThisMachine) return undefined;
  return 'SVC_MC_APP_INTERNALADDRESS is http: and not loopback: the application gets neither logout notices nor licence updates';
}

/**
 * Reads certificate and key, so that a bad pair is told at the start and not at the first handshake.
 *
 * @param problems  gets one sentence for each thing that is wrong
 * @returns nothing when HTTPS is off or something is wrong
 */
export function readTls(
  { tlsCert, tlsKey }: SettingValues,
  readFile: (path: string) => string,
  problems: string[],
): TlsFiles | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    problems.push('CONSOLE_TLS_CERT and CONSOLE_TLS_KEY go together: set both or none');
    return undefined;
  }
  const cert = attempt('CONSOLE_TLS_CERT', 'certificate', problems, () => {
    const pem = readFile(tlsCert);
    return { pem, certificate: new X509Certificate(pem) };
  });
  const key = attempt('CONSOLE_TLS_KEY', 'private key', problems, () => {
    const pem = readFile(tlsKey);
    return { pem, privateKey: createPrivateKey(pem) };
  });
  if (cert === undefined || key === undefined) return undefined;
  if (!cert.certificate.checkPrivateKey(key.privateKey)) {
    problems.push('CONSOLE_TLS_KEY is not the key of the certificate in CONSOLE_TLS_CERT');
    return undefined;
  }
  return { cert: cert.pem, key: new Secret(key.pem) };
}

/** Never leaves this machine: `localhost`, names under it, 127.0.0.0/8 and ::1. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '');
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost');
}

function attempt<T>(name: string, what: string, problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'not understood';
    problems.push(`${name} must name a readable PEM file with a ${what} (${code})`);
    return undefined;
  }
}
