import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { cpuMicrosOf } from './processor-time.ts';

export interface ServerOptions {
  readonly name: string;
  /** Absent: Node.js. */
  readonly command?: string;
  /** From the root of the checkout: for Node.js the script, and flags before it. */
  readonly args: readonly string[];
  /** Another checkout's root instead of this one's. */
  readonly checkout?: string | undefined;
  /** Added to a bare environment; nothing else of ours leaks into a measured server. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the server prints when it answers, the first group being its address; or the port that it opens, on loopback. */
  readonly ready: RegExp | { readonly port: number };
}

export interface ServerProcess {
  readonly name: string;
  readonly pid: number;
  /** Scheme, host and port, as the server printed it. */
  readonly url: string;
  /** From spawn to the line that says it is ready. */
  readonly startMs: number;
  /** Processor time so far, all threads. */
  cpuMicros(): number;
  stop(): Promise<void>;
}

/** Starts server processes and ends all of them at the end of the `await using` scope. */
export function createServers({ nodeBinary }: { readonly nodeBinary: string }) {
  const started: ServerProcess[] = [];
  return {
    async start(options: ServerOptions): Promise<ServerProcess> {
      const server = await startServer(nodeBinary, options);
      started.push(server);
      return server;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(started.map((server) => server.stop()));
    },
  };
}

export type Servers = ReturnType<typeof createServers>;

/** How a TypeScript peer of this folder is started. */
export function peer(file: string): string[] {
  return ['--import', 'tsx', `bench/peers/${file}`];
}

const startDeadlineMs = 30_000;

async function startServer(
  nodeBinary: string,
  { name, command = nodeBinary, args, checkout, env, ready }: ServerOptions,
): Promise<ServerProcess> {
  const spawnedAt = performance.now();
  const child = spawn(command, args, {
    cwd: checkout ?? new URL('..', import.meta.url),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const url =
    'port' in ready ? await openedPort(child, name, ready.port) : await readyAddress(child, name, ready);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} has no process id`);
  return {
    name,
    pid,
    url,
    startMs: performance.now() - spawnedAt,
    cpuMicros: () => cpuMicrosOf(pid),
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** @throws {Error} with what the server printed, when it ends or opens nothing in time */
async function openedPort(child: ChildProcess, name: string, port: number): Promise<string> {
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk;
    });
  }
  const deadline = performance.now() + startDeadlineMs;
  while (!(await isOpen(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${name} did not open its port\n${printed}`);
    }
    await wait(50);
  }
  return `http://127.0.0.1:${port}`;
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** @throws {Error} with what the server printed, when it ends or says nothing in time */
function readyAddress(child: ChildProcess, name: string, ready: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const fail = (reason: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`${name} ${reason}\n${printed}`));
    };
    const timer = setTimeout(() => fail('did not get ready in time'), startDeadlineMs);
    child.once('error', reject);
    const onExit = (code: number | null): void => fail(`ended with ${code}`);
    child.once('exit', onExit);
    const read = (chunk: Buffer): void => {
      printed += chunk;
      const match = ready.exec(printed);
      if (match === null) return;
      clearTimeout(timer);
      child.off('exit', onExit);
      // From here on its output is drained and dropped: a full pipe would stop the server.
      for (const stream of [child.stdout, child.stderr]) stream?.removeAllListeners('data').resume();
      resolve(match[1] ?? '');
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
  });
}
