/** Members of the real engine (set up by `test/peers/set-up-members.sh`), each a process of its own on loopback. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EndpointGroup, endpointGroups } from '../../../platform/endpoint-groups.ts';
import { freePorts } from '../../helpers/ports.ts';
import { until } from '../../helpers/store.ts';

const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
const home = join(cache, 'cluster-console/members');

/** As the set-up fetches them: the last with CP, and the newest of the 5.x line. */
export const releases = ['5.3.8', '5.7.0'] as const;
export type Release = (typeof releases)[number];
export const newestRelease: Release = '5.7.0';

/** Behind the name of what is skipped; undefined when everything is there. */
export const whyNoEngine = missing();

/** Milliseconds that the start of a few members may take on a busy machine. */
export const engineStartMs = 120_000;

export interface EngineOptions {
  readonly version: Release;
  readonly count?: number;
  /** All others are on. */
  readonly off?: readonly EndpointGroup[];
  /** REST has a listener of its own, on the port above the member's (advanced network). */
  readonly hasRestListener?: boolean;
  /** System properties of the engine, beside those of {@link configFor}. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Beside `network`, as in the engine's own YAML. */
  readonly config?: Readonly<Record<string, unknown>>;
}

export interface EngineMember {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  /** `127.0.0.1:<port>` */
  readonly host: string;
  pid(): number;
  isRunning(): boolean;
  /** The last of what it wrote. */
  output(): string;
  /** SIGKILL: no good-bye to anybody. */
  kill(): Promise<void>;
  /** SIGTERM; resolves when it has ended. Graceful with `hazelcast.shutdownhook.policy` GRACEFUL. */
  terminate(): Promise<void>;
  /** SIGSTOP: connections stand and nothing answers. */
  suspend(): void;
  /** SIGCONT. */
  resume(): void;
  /** Another process on the same port. Resolves when it answers. */
  start(): Promise<void>;
  /** Resolves when the process has ended by itself. */
  ended(): Promise<void>;
}

export interface EngineCluster {
  readonly members: readonly EngineMember[];
  /** For `CONSOLE_MEMBERS`. */
  readonly addresses: string;
  /** Waits until those that run see each other, and every backup is in its place. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/** @throws {Error} with what a member wrote when it does not come up */
export async function startEngineMembers(options: EngineOptions): Promise<EngineCluster> {
  const { count = 1 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'engine-'));
  const ports: number[] = [];
  while (ports.length < count) ports.push((await freePorts(2))[0]!);
  const members = await Promise.all(ports.map((port) => prepare(options, folder, port, ports)));
  const cluster: EngineCluster = {
    members,
    addresses: members.map(({ address }) => address).join(','),
    // Without its health group a member does not say how it is; it has started, and is alone then.
    settle: () => (options.off?.includes('HEALTH_CHECK') ? Promise.resolve() : settle(members)),
    async stop() {
      await Promise.all(members.map((member) => member.kill()));
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    // The first is the master that the others join; all at once they would have to agree on one.
    await members[0]!.start();
    await Promise.all(members.slice(1).map((member) => member.start()));
    await cluster.settle();
    return cluster;
  } catch (error) {
    const outputs = members.map(({ output }) => output()).join('\n--\n');
    await cluster.stop();
    throw new Error(`the members did not come up\n${outputs}`, { cause: error });
  }
}

async function prepare(
  options: EngineOptions,
  folder: string,
  port: number,
  ports: readonly number[],
): Promise<EngineMember> {
  const own = join(folder, String(port));
  await mkdir(own);
  const file = join(own, 'member.yaml');
  // What is JSON is YAML too.
  await writeFile(file, JSON.stringify(configFor(options, port, ports)));
  const host = `127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let output = '';

  return {
    address: `http://${host}`,
    host,
    pid: () => child!.pid!,
    isRunning: () => child !== undefined && !hasEnded(child),
    output: () => output,
    async kill() {
      if (!child || hasEnded(child)) return;
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
    async terminate() {
      const closed = once(child!, 'close');
      child!.kill('SIGTERM');
      await closed;
    },
    suspend: () => void child!.kill('SIGSTOP'),
    resume: () => void child!.kill('SIGCONT'),
    async start() {
      const started = spawnMember(options.version, file, own);
      child = started;
      output = '';
      for (const stream of [started.stdout, started.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output = (output + text).slice(-20_000);
        });
      }
      const isUp = async () => {
        if (hasEnded(started)) throw new Error(`member ${host} ended\n${output}`);
        return output.includes('is STARTED');
      };
      await until(isUp, `member ${host}`, engineStartMs);
    },
    async ended() {
      if (child && !hasEnded(child)) await once(child, 'close');
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Everything stays on this machine: one address, no multicast, no call home, no environment of ours. */
function configFor(options: EngineOptions, port: number, ports: readonly number[]): object {
  const { properties, config } = options;
  return {
    hazelcast: {
      'cluster-name': 'dev',
      ...networkFor(options, port, ports),
      properties: {
        'hazelcast.phone.home.enabled': 'false',
        'hazelcast.socket.bind.any': 'false',
        'hazelcast.wait.seconds.before.join': '0',
        // Fewer to move when a member goes and comes.
        'hazelcast.partition.count': '31',
        // One that is suspended is out of the cluster in seconds, and back in seconds.
        'hazelcast.heartbeat.interval.seconds': '1',
        'hazelcast.max.no.heartbeat.seconds': '10',
        'hazelcast.merge.first.run.delay.seconds': '2',
        'hazelcast.merge.next.run.delay.seconds': '2',
        'hazelcast.logging.type': 'jdk',
        ...properties,
      },
      ...config,
    },
  };
}

function networkFor({ off = [], hasRestListener }: EngineOptions, port: number, ports: readonly number[]) {
  const endpoints = Object.fromEntries(
    endpointGroups.map((group) => [group, { enabled: !off.includes(group) }]),
  );
  const at = (own: number) => ({
    'public-address': '127.0.0.1',
    port: { port: own, 'auto-increment': false },
    interfaces: { enabled: true, interfaces: ['127.0.0.1'] },
  });
  const memberPortOf = (rest: number) => (hasRestListener ? rest + 1 : rest);
  const join = {
    'auto-detection': { enabled: false },
    multicast: { enabled: false },
    'tcp-ip': { enabled: true, 'member-list': ports.map((other) => `127.0.0.1:${memberPortOf(other)}`) },
  };
  if (!hasRestListener) {
    return { network: { ...at(port), join, 'rest-api': { enabled: true, 'endpoint-groups': endpoints } } };
  }
  const rest = { port: { port, 'auto-increment': false }, 'endpoint-groups': endpoints };
  return {
    'advanced-network': {
      enabled: true,
      join,
      'member-server-socket-endpoint-config': at(memberPortOf(port)),
      'rest-server-socket-endpoint-config': rest,
    },
  };
}

function spawnMember(version: Release, file: string, folder: string) {
  const small = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
  // Made by the set-up; a Java that it was not made by passes it over.
  const archive = [`-XX:SharedArchiveFile=${join(home, `hazelcast-${version}.jsa`)}`, '-Xshare:auto'];
  const properties = {
    'hazelcast.config': file,
    'hazelcast.phone.home.enabled': 'false',
    'java.io.tmpdir': folder,
    'java.net.preferIPv4Stack': 'true',
  };
  const given = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`);
  const starter = 'com.hazelcast.core.server.HazelcastMemberStarter';
  return spawn('java', [...small, ...archive, ...given, '-cp', jarOf(version), starter], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function settle(members: readonly EngineMember[]): Promise<void> {
  const running = members.filter((member) => member.isRunning());
  const isSettled = async () => {
    const views = await Promise.all(running.map(healthOf));
    return views.every((view) => view?.clusterSize === running.length && view.clusterSafe);
  };
  await until(isSettled, `${running.length} members that see each other`, engineStartMs);
}

async function healthOf({
  host,
}: EngineMember): Promise<{ clusterSize: number; clusterSafe: boolean } | undefined> {
  const response = await fetch(`http://${host}/hazelcast/health`, {
    signal: AbortSignal.timeout(2_000),
  }).catch(() => undefined);
  return response?.ok
    ? ((await response.json()) as { clusterSize: number; clusterSafe: boolean })
    : undefined;
}

/** @returns its file, whether it is there or not */
export function jarOf(version: Release): string {
  return join(home, `hazelcast-${version}.jar`);
}

function missing(): string | undefined {
  if (!releases.every((version) => existsSync(jarOf(version)))) {
    return ' (skipped: the real engine is not set up here: test/peers/set-up-members.sh)';
  }
  return spawnSync('java', ['-version']).status === 0
    ? undefined
    : ' (skipped: java not installed: apt-get install openjdk-17-jre-headless)';
}
