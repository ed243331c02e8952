/** SimpleSAMLphp (Debian: `simplesamlphp`, `php-cli`, `php-xml`, `php-mbstring`) as a SAML 2.0 identity provider. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../helpers/console.ts';
import { until } from '../../helpers/store.ts';

const web = '/usr/share/simplesamlphp/www';

/** Behind the name of what is skipped; undefined when everything is there. */
export const whyNoSimpleSaml = missing();

export interface Person {
  readonly password: string;
  /** By name, each with one value or more; `uid` decides the NameID. */
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
}

export interface SimpleSaml {
  /** `http://127.0.0.1:<port>`: another site than the console's `localhost`. */
  readonly origin: string;
  readonly entityId: string;
  readonly metadataUrl: string;
  metadata(): Promise<string>;
  /** Takes the metadata document of an application, and from then on signs people in there. */
  trust(document: string): Promise<void>;
  stop(): Promise<void>;
}

/** Everything that it writes goes into a directory of its own, which goes with it. */
export async function startSimpleSaml(people: Readonly<Record<string, Person>>): Promise<SimpleSaml> {
  const folder = await mkdtemp(join(tmpdir(), 'simplesaml-'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  await writeConfiguration(folder, origin, people);
  const child = spawn('php', ['-d', 'opcache.enable_cli=0', '-S', `127.0.0.1:${port}`, '-t', web], {
    cwd: folder,
    env: { PATH: process.env.PATH, SIMPLESAMLPHP_CONFIG_DIR: folder, TMPDIR: join(folder, 'tmp') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const entityId = `${origin}/idp`;
  const metadataUrl = `${origin}/saml2/idp/metadata.php`;
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(() => isThere(metadataUrl), 'SimpleSAMLphp', 20_000);
  } catch (error) {
    await stop();
    throw new Error(`SimpleSAMLphp did not start\n${output}`, { cause: error });
  }
  return {
    origin,
    entityId,
    metadataUrl,
    metadata: async () => (await fetch(metadataUrl)).text(),
    trust: (document) => writeFile(join(folder, 'metadata/application.xml'), document),
    stop,
  };
}

async function isThere(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function writeConfiguration(
  folder: string,
  origin: string,
  people: Readonly<Record<string, Person>>,
): Promise<void> {
  for (const name of ['cert', 'log', 'data', 'tmp', 'sessions', 'metadata']) await mkdir(join(folder, name));
  newCertificate(join(folder, 'cert'));
  await writePhp(join(folder, 'config.php'), 'config', configuration(folder, origin));
  await writePhp(join(folder, 'authsources.php'), 'config', {
    people: {
      '0': 'exampleauth:UserPass',
      ...Object.fromEntries(
        Object.entries(people).map(([name, person]) => [`${name}:${person.password}`, person.attributes]),
      ),
    },
  });
  await writePhp(join(folder, 'metadata/saml20-idp-hosted.php'), 'metadata', hosted(origin));
  // The application's own document is read as it is: nothing is copied from it by hand.
  await writeFile(join(folder, 'metadata/application.xml'), noApplication);
}

const configuration = (folder: string, origin: string) => ({
  baseurlpath: `${origin}/`,
  certdir: `${folder}/cert/`,
  loggingdir: `${folder}/log/`,
  datadir: `${folder}/data/`,
  tempdir: `${folder}/tmp`,
  metadatadir: `${folder}/metadata/`,
  'metadata.sources': [{ type: 'flatfile' }, { type: 'xml', file: `${folder}/metadata/application.xml` }],
  secretsalt: 'of-a-test-0123456789',
  'auth.adminpassword': 'of-a-test-administrator',
  timezone: 'UTC',
  showerrors: true,
  errorreporting: false,
  'logging.handler': 'file',
  'logging.logfile': 'simplesamlphp.log',
  'enable.saml20-idp': true,
  'module.enable': { core: true, saml: true, exampleauth: true },
  'store.type': 'phpsession',
  'session.phpsession.savepath': `${folder}/sessions`,
  'session.cookie.secure': false,
  'session.cookie.samesite': null,
  'language.cookie.secure': false,
  'language.cookie.samesite': null,
  'trusted.url.domains': null,
});

/** As its guide for identity providers has it, with the two things that are asked of one: a lasting name, signed logouts. */
const hosted = (origin: string) => ({
  [`${origin}/idp`]: {
    host: '__DEFAULT__',
    privatekey: 'key.pem',
    certificate: 'certificate.pem',
    auth: 'people',
    NameIDFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    authproc: { '1': { class: 'saml:PersistentNameID', attribute: 'uid' } },
    'sign.logout': true,
    'validate.logout': true,
  },
});

const noApplication =
  '<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" Name="nobody"></md:EntitiesDescriptor>';

/** PHP reads the values as JSON, so that none of them can be read as PHP. */
async function writePhp(file: string, variable: string, values: object): Promise<void> {
  await writeFile(file.replace(/php$/, 'json'), JSON.stringify(values));
  const json = `file_get_contents(substr(__FILE__, 0, -3) . 'json')`;
  await writeFile(file, `<?php\n$${variable} = json_decode(${json}, true);\n`);
}

function newCertificate(folder: string): void {
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
  const kind = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=identity-provider'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...files], { stdio: 'ignore' });
}

function missing(): string | undefined {
  const absent = [
    ...(existsSync(`${web}/module.php`) ? [] : ['simplesamlphp']),
    ...(spawnSync('openssl', ['version']).status === 0 ? [] : ['openssl']),
    ...absentPhp(),
  ];
  return absent.length === 0 ? undefined : ` (skipped: ${absent.join(', ')} not installed)`;
}

function absentPhp(): string[] {
  const { status, stdout } = spawnSync('php', ['-m'], { encoding: 'utf8' });
  if (status !== 0) return ['php-cli'];
  return [['dom', 'php-xml'] as const, ['mbstring', 'php-mbstring'] as const].flatMap(
    ([module, debianPackage]) => (stdout.split('\n').includes(module) ? [] : [debianPackage]),
  );
}
