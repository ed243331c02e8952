/** One certificate for console and suite, for the names that they are reached by here. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

export function makeCertificate(folder: string): CertificateFiles {
  const [cert, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', ...made, ...names], { stdio: 'ignore' });
  return { cert, key };
}
