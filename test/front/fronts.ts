/** The load balancers of `packaging/front/`: each as it stands there, for the addresses of a test. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../commands/support.ts';
import { freePort } from '../helpers/ports.ts';
import type { Certificate } from '../peers/support/certificate.ts';
import { answers, cacheFolder, type RunningProgram, startProgram } from '../peers/support/program.ts';

/** What a front is told of everybody. */
export interface Addresses {
  readonly port: number;
  /** Of the plain port, which sends everybody to the other. */
  readonly plainPort: number;
  /** In the order of their lines. */
  readonly consoles: readonly [ConsolePorts, ConsolePorts];
  /** Where separate proxies reach whichever console is there; absent: not asked for. HAProxy's alone. */
  readonly insidePort?: number;
  readonly proxyPorts: readonly [number, number];
  readonly certificate: Certificate;
}

export interface ConsolePorts {
  readonly port: number;
  readonly managementPort: number;
}

export interface Front {
  readonly name: string;
  /** Behind the name of what is skipped; undefined when it is there. */
  readonly missing: string | undefined;
  /** Writes its files. @returns how it is started, and what its own check of them says: nothing */
  prepare(folder: string, addresses: Addresses): Promise<{ start: readonly string[]; faults: string }>;
}

const traefik = join(cacheFolder, 'traefik-3.7.15', 'venv/bin/traefik');

export const fronts: readonly Front[] = [
  {
    name: 'nginx',
    missing: reasonWithout('/usr/sbin/nginx', 'apt-get install nginx-light'),
    prepare: prepareNginx,
  },
  {
    name: 'HAProxy',
    missing: reasonWithout('/usr/sbin/haproxy', 'apt-get install haproxy'),
    prepare: prepareHaproxy,
  },
  {
    name: 'Traefik',
    missing: reasonWithout(traefik, 'test/peers/set-up-traefik.sh'),
    prepare: prepareTraefik,
  },
];

/** @throws {Error} with what it wrote when it does not come up */
export async function startFront(front: Front, addresses: Addresses): Promise<RunningProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'console-front-'));
  await chmod(folder, 0o755);
  const { start, faults } = await front.prepare(folder, addresses);
  if (faults !== '') throw new Error(`${front.name} finds fault with its configuration: ${faults}`);
  const [program = '', ...args] = start;
  const isUp = () => answers(`http://127.0.0.1:${addresses.plainPort}/`);
  const running = await startProgram(program, args, {}, isUp);
  return {
    output: running.output,
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function prepareNginx(folder: string, addresses: Addresses) {
  const { port, plainPort, certificate } = addresses;
  const own = withAddresses('nginx.conf', addresses, {
    'listen 80;': `listen 127.0.0.1:${plainPort};`,
    '  listen [::]:80;\n': '',
    'listen 443 ssl http2;': `listen 127.0.0.1:${port} ssl http2;`,
    '  listen [::]:443 ssl http2;\n': '',
    '/etc/ssl/cluster-console/fullchain.pem': certificate.certificateFile,
    '/etc/ssl/cluster-console/privkey.pem': certificate.keyFile,
    '/var/log/nginx/cluster-console.log': join(folder, 'access.log'),
    'https://console.example.com': `https://localhost:${port}`,
  });
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n');
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\n${temporary}\n${own}\n}\n`,
  );
  const start = ['/usr/sbin/nginx', '-c', file, '-p', folder];
  return { start, faults: check([...start, '-t']) };
}

async function prepareHaproxy(folder: string, addresses: Addresses) {
  const { port, plainPort, certificate } = addresses;
  const both = join(folder, 'both.pem');
  await writeFile(both, certificate.pem + readFileSync(certificate.keyFile, 'utf8'), { mode: 0o600 });
  const [first, second] = addresses.consoles;
  const text = withAddresses('haproxy.cfg', addresses, {
    'maxconn 30000': 'maxconn 500',
    '127.0.0.1:8079': `127.0.0.1:${addresses.insidePort ?? (await freePort())}`,
    'port 9080': `port ${first.managementPort}`,
    'port 9085': `port ${second.managementPort}`,
    'bind :80\n': `bind 127.0.0.1:${plainPort}\n`,
    'bind :443 ': `bind 127.0.0.1:${port} `,
    '/etc/haproxy/cluster-console.pem': both,
  });
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, text);
  const start = ['/usr/sbin/haproxy', '-db', '-f', file];
  return { start, faults: check([...start, '-c']) };
}

async function prepareTraefik(folder: string, addresses: Addresses) {
  const { port, plainPort, certificate } = addresses;
  const routes = join(folder, 'traefik-routes.yaml');
  const file = join(folder, 'traefik.yaml');
  await writeFile(
    routes,
    withAddresses('traefik-routes.yaml', addresses, {
      '/etc/ssl/cluster-console/fullchain.pem': certificate.certificateFile,
      '/etc/ssl/cluster-console/privkey.pem': certificate.keyFile,
    }),
  );
  await writeFile(
    file,
    replaced(read('traefik.yaml'), {
      "':80'": `127.0.0.1:${plainPort}`,
      "':443'": `127.0.0.1:${port}`,
      '/etc/traefik/traefik-routes.yaml': routes,
    }),
  );
  // It has no check of its own: what it does not know ends its start.
  return { start: [traefik, `--configFile=${file}`], faults: '' };
}

function withAddresses(
  file: string,
  { consoles, proxyPorts }: Addresses,
  more: Readonly<Record<string, string>>,
): string {
  return replaced(read(file), {
    '127.0.0.1:8080': `127.0.0.1:${consoles[0].port}`,
    '127.0.0.1:8085': `127.0.0.1:${consoles[1].port}`,
    '127.0.0.1:8081': `127.0.0.1:${proxyPorts[0]}`,
    '127.0.0.1:8082': `127.0.0.1:${proxyPorts[1]}`,
    ...more,
    'console.example.com': 'localhost',
  });
}

/** @throws {Error} when something that is to be replaced is not there */
function replaced(text: string, by: Readonly<Record<string, string>>): string {
  return Object.entries(by).reduce((rest, [from, to]) => {
    if (!rest.includes(from) && from !== 'console.example.com') throw new Error(`there is no ${from}`);
    return rest.replaceAll(from, to);
  }, text);
}

function read(file: string): string {
  return readFileSync(join(root, 'packaging/front', file), 'utf8');
}

/** @returns warnings and errors */
function check([program = '', ...args]: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  const said = `${stdout}${stderr}`;
  return status === 0 && !/warn|emerg|alert/i.test(said) ? '' : said;
}

function reasonWithout(program: string, how: string): string | undefined {
  return existsSync(program) ? undefined : ` (skipped: not here: ${how})`;
}
