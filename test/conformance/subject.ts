/** The console that is tested: a process of its own over TLS, with the clients that the suite plays. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from '../commands/support.ts';
import { freePort, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type CertificateFiles, makeCertificate } from './certificate.ts';

export interface Subject extends RunningConsole {
  readonly certificate: CertificateFiles;
  /** @throws {Error} when the command fails */
  tool(args: readonly string[], stdin?: string): Promise<void>;
  end(): Promise<void>;
}

/** Somebody whom the suite's browser signs in. */
export const person = { username: 'carol', password: 'conformance-pass-2026', email: 'carol@example.com' };
/** The suite plays all clients under this alias; relying parties are tested under another, at the same time. */
export const alias = 'console';

/** Of one store that lives as long as the run does. */
export const secretOf = (clientId: string) => `conformance-${clientId}-0123456789abcdef0123456789abcdef`;

export async function startSubject(): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), 'console-conformance-'));
  const certificate = makeCertificate(folder);
  const [dataDir, port] = [join(folder, 'data'), await freePort()];
  const env = {
    CONSOLE_URL: `https://localhost:${port}`,
    CONSOLE_TLS_CERT: certificate.cert,
    CONSOLE_TLS_KEY: certificate.key,
    // The suite is a provider, and has a back channel, at this machine.
    CONSOLE_OUTBOUND_ALLOW: '127.0.0.1,localhost',
    NODE_EXTRA_CA_CERTS: certificate.cert,
  };
  const console = await startConsole({ env, dataDir, port });
  const subject: Subject = {
    ...console,
    certificate,
    async tool(args, stdin = '') {
      const { code, stdout, stderr } = await runTool(args, { dataDir, env, stdin });
      if (code !== 0) throw new Error(`console ${args.join(' ')}: ${code}\n${stdout}${stderr}`);
    },
    async end() {
      writeFileSync(join(tmpdir(), 'console-conformance.log'), console.stderr());
      await console.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  const { username, email, password } = person;
  const account = ['user', 'add', username, '--role', 'Viewer', '--email', email, '--password-file', '-'];
  await subject.tool(account, password);
  return subject;
}

/** Flags beside the redirect address, by client; `AT` stands for the suite's address for the alias. */
const clients: Readonly<Record<string, readonly string[]>> = {
  // One module asks without PKCE and without a nonce.
  basic: ['--first-party', '--pkce', 'optional'],
  post: ['--first-party'],
  second: ['--first-party', '--redirect-uri', 'AT/callback?dummy1=lorem&dummy2=ipsum'],
  logout: ['--first-party', '--post-logout-uri', 'AT/post_logout_redirect'],
  'back-channel': [
    ...['--first-party', '--post-logout-uri', 'AT/post_logout_redirect'],
    ...['--backchannel-logout-uri', 'AT/backchannel_logout'],
  ],
  'front-channel': [
    ...['--first-party', '--post-logout-uri', 'AT/post_logout_redirect'],
    ...['--frontchannel-logout-uri', 'AT/frontchannel_logout'],
  ],
};

export async function addClients(subject: Subject, suiteOrigin: string): Promise<void> {
  const at = `${suiteOrigin}/test/a/${alias}`;
  const scope = 'openid profile email offline_access';
  for (const [id, flags] of Object.entries(clients)) {
    const registered = ['--redirect-uri', `${at}/callback`, '--scope', scope, '--secret-file', '-'];
    const own = flags.map((flag) => flag.replace('AT', at));
    await subject.tool(['client', 'add', id, ...registered, ...own], secretOf(id));
  }
}
