/** Two consoles on one PostgreSQL and two separate proxies before a member, behind a load balancer as `packaging/front/` has it. */
import { once } from 'node:events';
import { Agent } from 'node:https';
import { type Front, startFront } from '../front/fronts.ts';
import { callFront, type Installation } from '../front/support.ts';
import { clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';
import { freePort, freePorts } from '../helpers/ports.ts';
import { type Postgres, type PostgresOptions, postgresPrograms, startPostgres } from '../helpers/postgres.ts';
import { until } from '../helpers/store.ts';
import { type Certificate, makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';
import { type EmbeddedMember, startEmbeddedMember } from '../peers/support/embedded-member.ts';
import type { RunningProgram } from '../peers/support/program.ts';
import { type RunningProxy, startProxy } from '../proxy/support.ts';
import type { DatabasePlace } from './support.ts';

/** Behind the name of what is skipped; undefined when everything is there. */
export function whyNotShared(front: Front): string | undefined {
  const reason = opensslIsMissing && ` (skipped: ${opensslIsMissing})`;
  return (
    front.missing ??
    (postgresPrograms === undefined ? ' (skipped: apt-get install postgresql)' : undefined) ??
    reason
  );
}

export interface SharedInstallation {
  readonly url: string;
  readonly certificate: Certificate;
  /** As they run now. */
  readonly consoles: readonly RunningConsole[];
  readonly proxies: readonly RunningProxy[];
  call: Installation['call'];
  /** The same by connections that are used again. */
  callReusing: Installation['call'];
  /** A machine's token, asked for through the front. @throws {Error} without one */
  token(): Promise<string>;
  /** At the management port of a console. */
  readiness(n: number): Promise<number>;
  /** A signal, its end, and a new process in its place. Resolves when that has said that it is ready. @param signal  SIGTERM when absent */
  restartConsole(n: number, signal?: EndSignal): Promise<void>;
  restartProxy(n: number, signal?: EndSignal): Promise<void>;
  /** What the front has written. */
  output(): string;
  stop(): Promise<void>;
}

export type EndSignal = 'SIGTERM' | 'SIGKILL';

export interface SharedOptions {
  readonly postgres?: PostgresOptions;
  /** Where each console reaches the database, which is at that port; absent: where it is. */
  readonly wayOf?: (n: number, port: number) => DatabasePlace;
  /** Of consoles and proxies alike. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const application = `Basic ${btoa(`application-client:${clientSecret}`)}`;

export async function startSharedInstallation(
  front: Front,
  { postgres: postgresOptions, wayOf, env: more }: SharedOptions = {},
): Promise<SharedInstallation> {
  const closing: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    const certificate = await makeCertificate();
    closing.push(certificate.remove);
    const postgres: Postgres = await startPostgres(postgresOptions);
    closing.push(postgres.close);
    const member: EmbeddedMember = await startEmbeddedMember(['CLUSTER_READ', 'DATA', 'HEALTH_CHECK']);
    closing.push(member.stop);
    const database = await postgres.createDatabase();
    const [port = 0, plainPort = 0, insidePort = 0] = await freePorts(3);
    const url = `https://localhost:${port}`;
    const env = {
      ...{ CONSOLE_URL: url, CONSOLE_HOST: '127.0.0.1', CONSOLE_TRUSTED_PROXIES: '127.0.0.1' },
      // As it is with a load balancer in front.
      CONSOLE_SHUTDOWN_DELAY: undefined,
      ...more,
    };
    const places = [await twoPorts(), await twoPorts()] as const;
    const consoles: RunningConsole[] = [];
    const startOne = async (n: number) => {
      const { authority, ...place } = wayOf?.(n, postgres.port) ?? { port: postgres.port };
      const databaseUrl = postgres.url(database, place);
      const before = consoles[n]?.dataDir;
      consoles[n] = await startConsole({
        isFirstStart: true,
        port: places[n]!.port,
        ...(before !== undefined && { dataDir: before }),
        env: {
          ...env,
          CONSOLE_MANAGEMENT_PORT: String(places[n]!.managementPort),
          CONSOLE_DATABASE_URL: authority ? `${databaseUrl}&sslrootcert=${authority}` : databaseUrl,
          CONSOLE_MEMBERS: `http://${member.address.replace(/^http:\/\//, '')}`,
        },
      });
    };
    closing.push(() => Promise.all(consoles.map((console) => console.stop())));
    await startOne(0);
    await startOne(1);
    const proxyPorts = [await freePort(), await freePort()] as const;
    const program: RunningProgram = await startFront(front, {
      ...{ port, plainPort, consoles: places, proxyPorts, certificate },
      ...(front.name === 'HAProxy' && { insidePort }),
    });
    closing.push(program.stop);
    const call = callFront(port, certificate);
    const agent = new Agent({ keepAlive: true });
    closing.push(async () => agent.destroy());
    const form = { authorization: application, 'content-type': 'application/x-www-form-urlencoded' };
    const token = async (parameters: Readonly<Record<string, string>> = {}) => {
      const body = new URLSearchParams({ grant_type: 'client_credentials', ...parameters }).toString();
      const answer = await call('POST', '/oauth2/token', { headers: form, body });
      if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.body}`);
      return JSON.parse(answer.body).access_token as string;
    };
    // One whose port is open may not have its routes, or its certificate, yet.
    const isUp = () =>
      call('GET', '/ready')
        .then(({ status }) => status === 200)
        .catch(() => false);
    await until(isUp, 'the front', 30_000);
    const client = { id: 'member-proxy', secret: 'secret-of-a-member-proxy-0123456789' };
    const added = await call('POST', '/api/v1/clients', {
      token: await token({ resource: `${url}/api` }),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...client, scopes: ['api:revocations:read', 'api:refusals:write'] }),
    });
    if (added.status !== 201) throw new Error(`no client: ${added.status} ${added.body}`);
    const proxies: RunningProxy[] = [];
    const startProxyAt = async (n: number) => {
      const jwks = front.name === 'HAProxy' ? `http://127.0.0.1:${insidePort}` : url;
      proxies[n] = await startProxy({
        ...{ console: { url }, client, port: proxyPorts[n]! },
        members: [`http://${member.address.replace(/^http:\/\//, '')}`],
        env: {
          CONSOLE_PROXY_URL: url,
          CONSOLE_JWKS_URI: `${jwks}/oauth2/jwks`,
          // Where they come by the public address, they trust the certificate of the front.
          NODE_EXTRA_CA_CERTS: certificate.certificateFile,
          ...env,
        },
      });
    };
    closing.push(() => Promise.all(proxies.map((proxy) => proxy.stop())));
    await Promise.all([startProxyAt(0), startProxyAt(1)]);
    const isServed = async () =>
      (await call('GET', '/svc/rest/cluster', { token: await token() })).status === 200;
    await until(isServed, 'members through the front', 30_000);
    return {
      ...{ url, certificate, consoles, proxies, call, token, stop },
      callReusing: callFront(port, certificate, agent),
      async readiness(n) {
        const answer = await fetch(`http://127.0.0.1:${places[n]!.managementPort}/ready`);
        await answer.arrayBuffer();
        return answer.status;
      },
      async restartConsole(n, signal = 'SIGTERM') {
        await ended(consoles[n]!, signal);
        await startOne(n);
      },
      async restartProxy(n, signal = 'SIGTERM') {
        await ended(proxies[n]!, signal);
        await startProxyAt(n);
      },
      output: program.output,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function ended({ child }: Pick<RunningConsole, 'child'>, signal: EndSignal): Promise<void> {
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

async function twoPorts() {
  const [port = 0, managementPort = 0] = await freePorts(2);
  return { port, managementPort };
}
