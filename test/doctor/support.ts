/** Runs `npx console doctor` as its own process and reads its lines. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runTool } from '../helpers/commands.ts';
import { clientSecret, type RunningConsole } from '../helpers/console.ts';

export interface Line {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly reason: string;
  readonly fix: string | null;
}

export interface Report {
  readonly code: number | null;
  readonly lines: readonly Line[];
  /** Of one thing that was looked at. */
  line(check: string): Line | undefined;
  /** What is a problem, by name. */
  readonly problems: readonly string[];
}

export const encryptionKey = randomBytes(32).toString('base64');

/** Settings of a console without anything to warn of. */
export const cleanSettings = {
  CONSOLE_ENCRYPTION_KEY: encryptionKey,
  CONSOLE_APPLICATION_CLIENT_SECRET: clientSecret,
} as const;

/** With the settings of this console, and others that win. */
export async function runDoctor(
  { url, dataDir }: Pick<RunningConsole, 'url' | 'dataDir'>,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<Report> {
  const all = { ...cleanSettings, CONSOLE_URL: url, ...env };
  const { code, stdout, stderr } = await runTool(['doctor', '--json', ...args], { dataDir, env: all });
  expect(stderr).toBe('');
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: readonly Line[] };
  const problems = findings.filter(({ state }) => state === 'problem').map(({ check }) => check);
  expect({ code, ok }).toEqual(problems.length > 0 ? { code: 1, ok: false } : { code: 0, ok: true });
  // Whatever is not well says what to do about it.
  for (const { state, fix } of findings) expect(fix === null).toBe(state === 'ok');
  expect(stdout).not.toContain(clientSecret);
  return {
    code,
    lines: findings,
    line: (check) => findings.find((finding) => finding.check === check),
    problems,
  };
}

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  /** The authority's own, or the certificate itself when it is self-signed. */
  readonly authority: string;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

export function selfSigned(directory: string): CertificateFiles {
  const [cert, key] = [join(directory, 'own.pem'), join(directory, 'own.key')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  openssl('req', '-x509', ...newKey, '-keyout', key, '-out', cert, '-days', '30', ...names);
  return { cert, key, authority: cert };
}

/** Of an authority of one's own. @param days  its life from now on; negative: it is over */
export function signedCertificate(directory: string, name: string, days: number): CertificateFiles {
  const at = (file: string) => join(directory, file);
  const subject = ['-subj', `/CN=${name}`];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.pem'),
    '-days',
    '60',
    '-subj',
    '/CN=ca',
  );
  openssl('req', ...newKey, '-keyout', at('leaf.key'), '-out', at('leaf.csr'), ...subject);
  writeFileSync(at('names'), `subjectAltName=DNS:${name}`);
  const authority = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
  const life = ['-days', String(days), '-extfile', at('names')];
  openssl('x509', '-req', '-in', at('leaf.csr'), ...authority, ...life, '-out', at('leaf.pem'));
  return { cert: at('leaf.pem'), key: at('leaf.key'), authority: at('ca.pem') };
}

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
