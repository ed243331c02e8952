/** Apache with mod_auth_openidc as resource server, in front of the member. */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/helpers/ports.ts';
import { audience, issuer, keyId } from '../peers/common.ts';
import type { ServerProcess, Servers } from '../servers.ts';
import type { TokenKey } from './tokens.ts';

const program = '/usr/sbin/apache2';
const modulesFolder = '/usr/lib/apache2/modules';
const modules = [
  'mpm_event',
  'authn_core',
  'authz_core',
  'authz_user',
  'proxy',
  'proxy_http',
  'auth_openidc',
];

/** Why there is none. */
export const apacheIsMissing =
  existsSync(program) && existsSync(join(modulesFolder, 'mod_auth_openidc.so'))
    ? undefined
    : 'Apache with mod_auth_openidc is left out: apt-get install libapache2-mod-auth-openidc openssl';

export async function startApache(
  servers: Servers,
  { name, folder }: { readonly name: string; readonly folder: string },
  member: string,
  key: TokenKey,
): Promise<ServerProcess> {
  const port = await freePort();
  const file = join(folder, 'apache2.conf');
  writeFileSync(file, configuration({ folder, port, member, certificate: certify(key, folder) }));
  return servers.start({
    name,
    command: program,
    args: ['-f', file, '-D', 'FOREGROUND'],
    ready: { port },
  });
}

/** It takes keys in certificates only. */
function certify({ privatePem }: TokenKey, folder: string): string {
  const keyFile = join(folder, 'apache-key.pem');
  const certificate = join(folder, 'apache-certificate.pem');
  writeFileSync(keyFile, privatePem, { mode: 0o600 });
  const subject = ['-subj', '/CN=bench', '-days', '2'];
  const args = ['req', '-x509', '-new', '-key', keyFile, '-out', certificate, ...subject];
  execFileSync('openssl', args, { stdio: 'ignore' });
  return certificate;
}

interface Parts {
  readonly folder: string;
  readonly port: number;
  readonly member: string;
  readonly certificate: string;
}

/** One process with enough threads for every load here, so that its pools of connections are shared. */
function configuration({ folder, port, member, certificate }: Parts): string {
  const loaded = modules.map((name) => `LoadModule ${name}_module ${modulesFolder}/mod_${name}.so`);
  const identity = process.getuid?.() === 0 ? ['User www-data', 'Group www-data'] : [];
  return [
    ...loaded,
    ...identity,
    `ServerRoot ${folder}`,
    `DefaultRuntimeDir ${folder}`,
    `PidFile ${folder}/apache2.pid`,
    `ErrorLog ${folder}/apache-error.log`,
    'LogLevel warn',
    `Listen 127.0.0.1:${port}`,
    `ServerName localhost:${port}`,
    'StartServers 1',
    'ServerLimit 1',
    'ThreadLimit 192',
    'ThreadsPerChild 192',
    'MaxRequestWorkers 192',
    'AsyncRequestWorkerFactor 4',
    'MinSpareThreads 1',
    'MaxSpareThreads 192',
    'KeepAlive On',
    'MaxKeepAliveRequests 0',
    'KeepAliveTimeout 65',
    `OIDCOAuthVerifyCertFiles ${keyId}#${certificate}`,
    'OIDCOAuthRemoteUserClaim sub',
    '<Location /svc/>',
    '  AuthType oauth20',
    '  <RequireAll>',
    `    Require claim iss:${issuer}`,
    `    Require claim aud:${audience}`,
    '    Require claim roles:Admin',
    '  </RequireAll>',
    `  ProxyPass ${member}/svc/`,
    '</Location>',
    '',
  ].join('\n');
}
