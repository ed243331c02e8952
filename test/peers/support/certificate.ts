/** A certificate for localhost that nobody trusts unless told to. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  /** Files, PEM. */
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly pem: string;
  remove(): Promise<void>;
}

/** Why none can be made: the name of the skip. */
export const opensslIsMissing = canRun('openssl') ? undefined : 'there is no openssl here';

/**
 * @param key  what it is for: the ciphers of TLS 1.2 that a server can take depend on it
 * @param names  as openssl has them, `IP:127.0.0.1` for one
 */
export async function makeCertificate(
  key: 'ec' | 'rsa' = 'ec',
  names: readonly string[] = ['DNS:localhost'],
): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'console-certificate-'));
  // A server that has given up root reads the certificate, and never the key.
  await chmod(folder, 0o755);
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${names.join(',')}`];
  const newKey = key === 'ec' ? ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'] : ['rsa:2048'];
  const kind = ['-newkey', ...newKey, '-nodes', '-days', '2'];
  execFileSync(
    'openssl',
    ['req', '-x509', ...kind, '-keyout', keyFile, '-out', certificateFile, ...subject],
    {
      stdio: 'ignore',
    },
  );
  return {
    keyFile,
    certificateFile,
    pem: await readFile(certificateFile, 'utf8'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function canRun(program: string): boolean {
  try {
    execFileSync(program, ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
