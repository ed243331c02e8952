/** A resource server and an application in Java, with libraries that Maven fetches once. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '../../helpers/console.ts';

const folder = resolve(import.meta.dirname, '../java');
const projectFile = join(folder, 'pom.xml');

export interface Libraries {
  /** For `java -cp`. */
  readonly classPath?: string;
  /** Why they are not here: the name of the skip. */
  readonly missing?: string;
}

/** Kept in the person's cache, by what pom.xml says; without it Maven has three minutes. */
export async function fetchLibraries(): Promise<Libraries> {
  if (javaVersion() < 17) {
    return { missing: 'there is no Java 17 here: apt-get install default-jre-headless' };
  }
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const version = createHash('sha256').update(readFileSync(projectFile)).digest('hex').slice(0, 16);
  const libraries = join(cache, 'cluster-console-tests', `java-${version}`);
  const missing = existsSync(libraries) ? undefined : await copyLibraries(libraries);
  return missing === undefined ? { classPath: join(libraries, '*') } : { missing };
}

/** Whole or not at all. @returns why not */
async function copyLibraries(to: string): Promise<string | undefined> {
  mkdirSync(dirname(to), { recursive: true });
  const unfinished = mkdtempSync(`${to}-`);
  const copy = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${unfinished}`];
  try {
    await promisify(execFile)('mvn', ['-q', '-B', '-f', projectFile, ...copy], { timeout: 180_000 });
    if (!existsSync(to)) renameSync(unfinished, to);
    return undefined;
  } catch (error) {
    const { code, message, stdout = '' } = error as Error & { code?: unknown; stdout?: string };
    if (code === 'ENOENT') return 'there is no Maven here: apt-get install maven';
    const reason = /\[ERROR\] (.*)/.exec(stdout)?.[1] ?? message;
    return `Maven could not fetch Spring Security: ${reason.slice(0, 120)}`;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

export interface ResourceServer {
  /** Answers of one library's decoder to a token. */
  call(library: 'nimbus' | 'spring', token: string): Promise<{ status: number; body: string }>;
  stop(): Promise<void>;
}

/** @throws {Error} with what Java says when it does not start */
export async function startResourceServer(classPath: string, issuer: string): Promise<ResourceServer> {
  const { port, stop } = await startJava(classPath, 'ResourceServer.java', [issuer, `${issuer}/oauth2/jwks`]);
  return {
    async call(library, token) {
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch(`http://127.0.0.1:${port}/${library}`, { headers });
      return { status: response.status, body: await response.text() };
    },
    stop,
  };
}

export interface Application {
  readonly url: string;
  stop(): Promise<void>;
}

/** @throws {Error} with what Java says when it does not start */
export async function startApplication(
  classPath: string,
  issuer: string,
  { id, secret }: { readonly id: string; readonly secret: string },
): Promise<Application> {
  const { port, stop } = await startJava(classPath, 'Application.java', [issuer, id, secret]);
  return { url: `http://localhost:${port}`, stop };
}

async function startJava(classPath: string, program: string, args: readonly string[]) {
  const child = spawn('java', ['-cp', classPath, join(folder, program), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  }
  const exited = new Promise((done) => child.once('close', done));
  const port = () => /listening on (\d+)/.exec(output)?.[1];
  try {
    await waitFor(() => port() ?? child.exitCode !== null, program, 60_000);
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
  } catch (cause) {
    child.kill('SIGKILL');
    throw new Error(`Java did not start\n${output}`, { cause });
  }
  return {
    port: port(),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** @returns 0 without Java; before Java 9 the first number is 1 */
function javaVersion(): number {
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
}
