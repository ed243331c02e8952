/** `npm run proxy` beside a console, as one runs it. */
import { execFileSync } from 'node:child_process';
import { freePort } from '../../test/helpers/ports.ts';
import { type DataDirs, startConsole } from '../console.ts';
import { clientId, clientSecret } from '../peers/common.ts';
import type { ServerProcess, Servers } from '../servers.ts';

export interface ProxyBesideConsole {
  readonly proxy: ServerProcess;
  /** For an administrator. */
  readonly token: string;
}

/** @param name  of its data directories, which must be new */
export async function startProxyProcess(
  servers: Servers,
  dataDirs: DataDirs,
  {
    name,
    member,
    nodeBinary,
  }: { readonly name: string; readonly member: string; readonly nodeBinary: string },
): Promise<ProxyBesideConsole> {
  const dataDir = dataDirs.path(`${name}-console`);
  const console = await startConsole(servers, { name: 'console', dataDir });
  const port = await freePort();
  const proxy = await servers.start({
    name: 'proxy',
    args: ['dist/console/proxy/main.js'],
    ready: /proxy ready at (\S+)/,
    env: {
      CONSOLE_URL: console.url,
      CONSOLE_DATA_DIR: dataDirs.path(`${name}-proxy`),
      CONSOLE_PORT: `${port}`,
      CONSOLE_MEMBERS: member,
      CONSOLE_MEMBER_PREFIX: 'svc',
      CONSOLE_WORKERS: '1',
      CONSOLE_LOG_FORMAT: 'json',
      CONSOLE_PROXY_CLIENT_ID: 'member-proxy',
      CONSOLE_PROXY_CLIENT_SECRET: addClient(nodeBinary, dataDir),
    },
  });
  return { proxy, token: await askToken(console.url) };
}

function addClient(nodeBinary: string, dataDir: string): string {
  const args = [
    'bin/console.js',
    'client',
    'add',
    'member-proxy',
    '--scope',
    'api:revocations:read',
    '--json',
  ];
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, CONSOLE_DATA_DIR: dataDir };
  const cwd = new URL('../..', import.meta.url);
  const added = execFileSync(nodeBinary, args, { cwd, env, encoding: 'utf8' });
  return (JSON.parse(added) as { readonly secret: string }).secret;
}

async function askToken(url: string): Promise<string> {
  const reply = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  if (!reply.ok) throw new Error(`no token: ${reply.status} ${await reply.text()}`);
  return ((await reply.json()) as { readonly access_token: string }).access_token;
}
