/** The certificate and key that HTTPS is served with. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { Secret } from '../../platform/secret.ts';
import type { SettingValues } from './table.ts';

/** Certificate chain and private key, PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: Secret;
}

/** @param now  epoch milliseconds. @returns one sentence when nobody takes the certificate now */
export function lifeWarning(tls: TlsFiles | undefined, now: number): string[] {
  if (tls === undefined) return [];
  const { validFrom, validTo } = new X509Certificate(tls.cert);
  const shown = (date: string) => new Date(date).toISOString();
  if (Date.parse(validTo) <= now) {
    return [
      `CONSOLE_TLS_CERT has expired at ${shown(validTo)}: browsers, applications and callers refuse it`,
    ];
  }
  if (Date.parse(validFrom) > now) {
    return [`CONSOLE_TLS_CERT is valid only from ${shown(validFrom)} on, by the clock of this machine`];
  }
  return [];
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

function attempt<T>(name: string, what: string, problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'not understood';
    problems.push(`${name} must name a readable PEM file with a ${what} (${code})`);
    return undefined;
  }
}
