/** A real OpenLDAP server (Debian: `slapd`, `ldap-utils`) with people and groups of its own. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, waitFor } from '../helpers/console.ts';

const needed = [
  '/usr/sbin/slapd',
  '/usr/sbin/slapadd',
  '/usr/bin/ldapadd',
  '/usr/bin/ldapwhoami',
  '/usr/bin/openssl',
];
const missing = needed.filter((file) => !existsSync(file));
/** Behind the name of what is skipped; undefined when everything is there. */
export const whySkipped =
  missing.length === 0
    ? undefined
    : ` (skipped: ${missing.join(', ')} not installed; Debian: slapd, ldap-utils)`;

export const suffix = 'dc=example,dc=org';
export const service = { dn: `cn=console,${suffix}`, password: 'service-password-1' };
export const root = { dn: `cn=root,${suffix}`, password: 'root-password-1' };

export interface LdapServer {
  /** 127.0.0.1, in the clear or with StartTLS. */
  readonly port: number;
  /** TLS from the start. */
  readonly securePort: number;
  /** Of the certificate, which names `localhost` and no address. */
  readonly ca: string;
  /** What it was asked while `act` ran, a line each: binds, searches, results. */
  asked(act: () => Promise<unknown>): Promise<string>;
  stop(): Promise<void>;
}

/** @param ldif  entries beneath {@link suffix}; those with `member` come last and make `memberOf` */
export async function startLdapServer(
  ldif: string,
  groups: string,
  wantedPort?: number,
): Promise<LdapServer> {
  const folder = await mkdtemp(join(tmpdir(), 'console-ldap-'));
  const [port, securePort] = [wantedPort ?? (await freePort()), await freePort()];
  const ca = await newCertificate(folder);
  const config = join(folder, 'slapd.conf');
  await writeFile(config, configuration(folder), { mode: 0o600 });
  await writeFile(join(folder, 'people.ldif'), ldif);
  execFileSync('/usr/sbin/slapadd', ['-f', config, '-l', join(folder, 'people.ldif')], { stdio: 'pipe' });

  const urls = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${securePort}/`;
  const child = spawn('/usr/sbin/slapd', ['-f', config, '-h', urls, '-d', 'stats'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitFor(() => output.includes('slapd starting'), 'slapd');
    // It says so before it listens.
    await waitFor(() => whoami(port, root.dn, root.password), 'an answer of slapd');
    addEntries(port, groups);
  } catch (error) {
    await stop();
    throw new Error(`slapd did not start\n${output}`, { cause: error });
  }
  let markers = 0;
  return {
    port,
    securePort,
    ca,
    async asked(act) {
      const before = output.length;
      await act();
      // What this leaves in the log comes after everything that `act` left there.
      markers += 1;
      const marker = `cn=marker ${markers},${suffix}`;
      whoami(port, marker, 'x');
      await waitFor(() => output.includes(marker), 'the marker in the log');
      return output.slice(before, output.indexOf(marker));
    },
    stop,
  };
}

function whoami(port: number, dn: string, password: string): boolean {
  const login = ['-x', '-D', dn, '-w', password];
  const server = `ldap://127.0.0.1:${port}`;
  return spawnSync('/usr/bin/ldapwhoami', ['-H', server, ...login], { stdio: 'ignore' }).status === 0;
}

function addEntries(port: number, ldif: string): void {
  const login = ['-x', '-D', root.dn, '-w', root.password];
  execFileSync('/usr/bin/ldapadd', ['-H', `ldap://127.0.0.1:${port}`, ...login], {
    input: ldif,
    stdio: 'pipe',
  });
}

export async function newCertificate(folder: string): Promise<string> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('/usr/bin/openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  });
  return await readFile(cert, 'utf8');
}

const configuration = (folder: string) => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
objectclass ( 1.3.6.1.4.1.4203.666.1 NAME 'withGuid' SUP top AUXILIARY MAY objectGUID )
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
moduleload ppolicy
pidfile ${folder}/slapd.pid
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
database mdb
directory ${folder}
maxsize 16777216
suffix "${suffix}"
rootdn "${root.dn}"
rootpw ${root.password}
overlay memberof
overlay ppolicy
ppolicy_default "cn=policy,${suffix}"
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${service.dn}" read by self read by * none
`;

/** LDIF of a directory without people: the console's own entry, and where people and groups go. */
export const emptyTree = `
dn: ${suffix}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ${service.dn}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: console
userPassword: ${service.password}

dn: ou=people,${suffix}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${suffix}
objectClass: organizationalUnit
ou: groups
`;

/** LDIF of a password policy, which the server looks at when an entry names it. */
export const passwordPolicy = `
dn: cn=policy,${suffix}
objectClass: device
objectClass: pwdPolicy
cn: policy
pwdAttribute: userPassword
`;
