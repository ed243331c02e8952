/** Where the suite is built and its results are left, and with which Java. */
import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const release = 'release-v5.2.3';

const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
const work = join(cache, 'cluster-console-tests', `conformance-${release}`);

export const folders = {
  sources: join(work, 'sources'),
  /** The suite's archive, unpacked: it starts in a third of the time so. */
  built: join(work, 'built'),
  database: join(work, 'database'),
  results: join(work, 'results'),
  logs: join(work, 'logs'),
} as const;

/** The suite is written for Java 21. */
const oldestJava = 21;

/** @throws {Error} when no Java is new enough */
export function findJava(): { readonly home: string; readonly java: string } {
  const { CONFORMANCE_JAVA_HOME: own, JAVA_HOME: usual } = process.env;
  for (const home of [own, usual]) {
    if (home && versionOf(join(home, 'bin/java')) >= oldestJava)
      return { home, java: join(home, 'bin/java') };
  }
  throw new Error(`name a JDK of version ${oldestJava} or newer with CONFORMANCE_JAVA_HOME`);
}

function versionOf(java: string): number {
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8' });
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
}
