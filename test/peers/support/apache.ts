/** Debian's Apache in the foreground, on a port of its own, with a configuration written for it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { waitFor } from '../../helpers/console.ts';

const program = '/usr/sbin/apache2';
const modulesFolder = '/usr/lib/apache2/modules';
const modules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'include', 'dir', 'auth_openidc'];

/** Why there is none: the name of the skip. */
export const apacheIsMissing =
  existsSync(program) && existsSync(join(modulesFolder, 'mod_auth_openidc.so'))
    ? undefined
    : 'there is no Apache with mod_auth_openidc here: apt-get install libapache2-mod-auth-openidc';

export interface RunningApache {
  readonly url: string;
  errorLog(): Promise<string>;
  stop(): Promise<void>;
}

export interface ApacheOptions {
  readonly port: number;
  /** What an administrator writes into the site's configuration. */
  readonly site: string;
  /** Path below the document root and content. Variables of the request are shown as server-side includes do. */
  readonly pages: Readonly<Record<string, string>>;
}

/** @throws {Error} with what Apache says when it does not take the configuration */
export async function startApache({ port, site, pages }: ApacheOptions): Promise<RunningApache> {
  const folder = await mkdtemp(join(tmpdir(), 'console-apache-'));
  // Its children run as somebody else when it is started by root.
  await chmod(folder, 0o755);
  for (const [path, content] of Object.entries(pages)) {
    const file = join(folder, 'pages', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const configuration = join(folder, 'apache2.conf');
  await writeFile(configuration, `${base(folder, port)}\n${site}\n`, { mode: 0o600 });

  const child = spawn(program, ['-f', configuration, '-D', 'FOREGROUND'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  }
  const exited = new Promise((resolve) => child.once('close', resolve));
  const errorLog = () => readFile(join(folder, 'error.log'), 'utf8').catch(() => '');
  const stop = async () => {
    if (!hasEnded(child)) child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    // Written once the port is open and the configuration is taken.
    await waitFor(() => existsSync(join(folder, 'apache2.pid')) || hasEnded(child), 'Apache', 20_000);
    if (hasEnded(child)) throw new Error(`it ended with ${child.exitCode}`);
  } catch (cause) {
    const said = `${output}\n${await errorLog()}`;
    await stop();
    throw new Error(`Apache did not start\n${said}`, { cause });
  }
  return { url: `http://localhost:${port}`, errorLog, stop };
}

/** Everything around the site: nothing of the machine's own configuration is read or written. */
function base(folder: string, port: number): string {
  const loaded = modules.map((name) => `LoadModule ${name}_module ${modulesFolder}/mod_${name}.so`);
  // Only root can give itself up, and has to.
  const identity = process.getuid?.() === 0 ? ['User www-data', 'Group www-data'] : [];
  return [
    ...loaded,
    ...identity,
    `ServerRoot ${folder}`,
    `DefaultRuntimeDir ${folder}`,
    `PidFile ${folder}/apache2.pid`,
    `ErrorLog ${folder}/error.log`,
    'LogLevel warn auth_openidc:info',
    `Listen 127.0.0.1:${port}`,
    `ServerName localhost:${port}`,
    `DocumentRoot ${folder}/pages`,
    `<Directory ${folder}/pages>`,
    '  Options +Includes',
    '  SetOutputFilter INCLUDES',
    '  ForceType text/html',
    '  DirectoryIndex index.html',
    '</Directory>',
  ].join('\n');
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
