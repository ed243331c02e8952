/** Starts the suite with its database and its front, and ends them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../helpers/console.ts';
import { until } from '../../helpers/store.ts';
import type { CertificateFiles } from '../certificate.ts';
import { findJava, folders } from '../work-folder.ts';
import { createSuite, type Suite } from './api.ts';
import { startFront } from './front.ts';

export interface RunningSuite extends Suite {
  /** Public address, an origin: another host than the console's, so that cookies stay apart. */
  readonly origin: string;
  /** Lets nothing that is asked for at this path reach it for as long as the work takes. */
  whileShut(path: string, work: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

/** A start takes half a minute on an idle machine. */
const startMs = 300_000;

/** @throws {Error} when it was not built, or does not start */
export async function startSuite(certificate: CertificateFiles): Promise<RunningSuite> {
  if (!existsSync(folders.built) || !existsSync(folders.database)) {
    throw new Error('build the suite first: npm run conformance -- build FOLDER');
  }
  mkdirSync(folders.logs, { recursive: true });
  const { java } = findJava();
  const [databasePort, port, frontPort] = [await freePort(), await freePort(), await freePort()];
  const origin = `https://127.0.0.1:${frontPort}`;
  const program = join(import.meta.dirname, '../mongo/Database.java');
  const database = run('database', java, [
    '-Xmx1500m',
    '-cp',
    `${folders.database}/*`,
    program,
    `${databasePort}`,
  ]);
  await until(async () => database.said().includes('database ready'), 'the database', startMs);
  const classPath = `${folders.built}/BOOT-INF/classes:${folders.built}/BOOT-INF/lib/*`;
  const suite = run('suite', java, [
    ...['-Xmx3g', '-XX:TieredStopAtLevel=1', '-Djdk.tls.maxHandshakeMessageSize=65536', '-cp', classPath],
    'net.openid.conformance.Application',
    ...[`--server.port=${port}`, '--server.address=127.0.0.1', '--management.server.port=-1'],
    `--spring.mongodb.uri=mongodb://127.0.0.1:${databasePort}/test_suite`,
    '--openid.mongodb.targetFeatureCompatibilityVersion=',
    // Without accounts of its own: whoever reaches it may use it.
    '--fintechlabs.devmode=true',
    ...[`--fintechlabs.base_url=${origin}`, `--fintechlabs.base_mtls_url=${origin}`],
  ]);
  let shut: string | undefined;
  const front = await startFront({ at: origin, port, certificate, isShut: (path) => path === shut });
  const api = createSuite(`http://127.0.0.1:${port}`);
  const stop = async () => {
    front.closeAllConnections();
    front.close();
    await Promise.all([suite.end(), database.end()]);
  };
  try {
    await until(async () => suite.hasEnded() || (await api.isReady()), 'the suite', startMs);
    if (suite.hasEnded()) throw new Error(`the suite did not start: see ${join(folders.logs, 'suite.log')}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...api,
    origin,
    async whileShut(path, work) {
      shut = path;
      try {
        await work();
      } finally {
        shut = undefined;
      }
    },
    stop,
  };
}

function run(name: string, command: string, args: readonly string[]) {
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(join(folders.logs, `${name}.log`));
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.pipe(log, { end: false });
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-10_000);
    });
  }
  const exited = new Promise((resolve) => child.once('close', resolve));
  return {
    said: () => said,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async end() {
      child.kill('SIGTERM');
      await exited;
      log.end();
    },
  };
}
