import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { promisify } from 'node:util';
import { createCluster } from './cluster/cluster.ts';
import { createLifecycle } from './cluster/lifecycle.ts';
import type { MemberConfig } from './config/config.ts';
import { createNameLookup } from './config/name-patterns.ts';
import { createMaps, type Maps } from './data/maps.ts';
import { createMemory } from './data/memory.ts';
import { createQueues } from './data/queues.ts';
import { prepareClose } from './graceful-close.ts';
import { answerWith, listenOnFreePort, portOf } from './listen.ts';
import { type MemberLog, ownLogOf, silentLog } from './log.ts';
import { createCredentials } from './management/credentials.ts';
import { createLogLevels, type LogLevels } from './management/log-levels.ts';
import { createManagement } from './management/management-route.ts';
import { OperationRefused } from './refused.ts';
import { replyEmpty } from './replies.ts';
import { createBodyReader } from './request-body.ts';
import { type Call, type CallTrace, createRouter, type Handler } from './router.ts';
import { createRoutes } from './routes.ts';

export interface MemberOptions {
  readonly config: MemberConfig;
  /** Address to listen on, such as `127.0.0.1`. */
  readonly host: string;
  /** Overrides the port of the configuration; 0 takes any free one. */
  readonly port?: number | undefined;
  /** Its level stays as it is: the member logs through a child. */
  readonly log?: MemberLog;
  /** Epoch milliseconds; what map entries expire by. */
  readonly now?: () => number;
}

export interface Member {
  /** Base address, such as `http://127.0.0.1:5701`. */
  readonly address: string;
  readonly port: number;
  readonly uuid: string;
  /**
   * Stops: `ready` turns 503, waiting polls end with 204, replies under way are finished. Resolves
   * when the last connection has closed, after 5 s at most.
   */
  close(): Promise<void>;
  /** Resolves when the member has stopped, by `close` or by a call of memberShutdown or clusterShutdown. */
  readonly stopped: Promise<void>;
}

const closeTimeoutMs = 5_000;

/**
 * Starts a cluster member that stands alone: maps, queues, cluster information and health over HTTP.
 * All data is in memory and ends with it.
 *
 * @throws {PortTakenError} when the port, or each port that the configuration allows, is taken
 */
export async function startMember({
  config,
  host,
  port = config.port.port,
  log: handedLog = silentLog,
  now = Date.now,
}: MemberOptions): Promise<Member> {
  const attempts = config.port.autoIncrement && port !== 0 ? config.port.portCount : 1;
  const server = await listenOnFreePort({ host, port, attempts });
  const closeServer = prepareClose(server, closeTimeoutMs);
  const boundPort = portOf(server);
  const hostAndPort = `${reachableHost(host)}:${boundPort}`;
  const uuid = randomUUID();
  const log = ownLogOf(handedLog);
  const logLevels = createLogLevels(log);
  const lifecycle = createLifecycle();
  const cluster = createCluster({
    lifecycle,
    onChange: (from, to) => log.info({ from, to }, 'cluster state changed'),
  });
  let closing: Promise<void> | undefined;
  let stopped = () => {};

  const memory = createMemory(config.limits.memoryBytes);
  const maps = createMaps({ configOf: createNameLookup(config.maps), memory, now });
  const queues = createQueues({ configOf: createNameLookup(config.queues), memory, limits: config.limits });
  const readBody = createBodyReader({ limitBytes: config.limits.bodyBytes, memory });
  const accept = createCredentials(config);
  const routes = createRoutes({
    maps,
    queues,
    cluster,
    readBody,
    managementRoute: createManagement({ readBody, accept }),
    maxPollSeconds: config.limits.pollSeconds,
    identity: {
      uuid,
      address: hostAndPort,
      clusterName: config.clusterName,
      instanceName: config.instanceName ?? `${config.clusterName}-${boundPort}`,
    },
    countConnections: promisify(server.getConnections.bind(server)),
    isReady: () => lifecycle.isReady,
  });
  const groups = new Set(config.rest.enabled ? config.rest.groups : []);
  const dispatch = createRouter({
    routes,
    groups,
    nameBytes: config.limits.keyBytes,
    hasStarted: () => lifecycle.phase !== 'starting',
    trace: createCallTrace({ log, logLevels }),
  });
  answerWith(server, createListener({ dispatch, log, isStopping: () => closing !== undefined }));

  const stopSweeping = startSweeping(maps);
  lifecycle.opened();
  log.info({ address: hostAndPort, uuid, groups: [...groups] }, 'member started');

  async function stop(): Promise<void> {
    lifecycle.stopping();
    stopSweeping();
    queues.endWaits();
    await closeServer();
    lifecycle.stopped();
    log.info({ address: hostAndPort }, 'member stopped');
    stopped();
  }

  return {
    address: `http://${hostAndPort}`,
    port: boundPort,
    uuid,
    close() {
      closing ??= stop();
      return closing;
    },
    stopped: new Promise((resolve) => {
      stopped = resolve;
    }),
  };
}

interface ListenerDeps {
  readonly dispatch: Handler;
  readonly log: MemberLog;
  readonly isStopping: () => boolean;
}

/** Calls the router; what it throws is a bare 500 (spec §7) and a line in the log. */
function createListener({ dispatch, log, isStopping }: ListenerDeps): RequestListener {
  function fail({ req, res }: Call, error: unknown): void {
    if (error instanceof OperationRefused) {
      log.warn({ method: req.method, reason: error.message }, 'call refused');
    } else {
      log.error({ method: req.method, err: error }, 'request failed');
    }
    if (res.headersSent) req.socket.destroy();
    else replyEmpty(res, 500);
  }

  return function answer(req, res) {
    res.sendDate = false; // the real engine sends no Date, and making one costs
    if (isStopping()) res.shouldKeepAlive = false;
    const call = { req, res };
    try {
      const answered = dispatch(call);
      if (answered !== undefined) answered.catch((error) => fail(call, error));
    } catch (error) {
      fail(call, error);
    }
  };
}

interface CallTraceDeps {
  readonly log: MemberLog;
  readonly logLevels: LogLevels;
}

/** A line for each call, once the log level asks for that much. */
function createCallTrace({ log, logLevels }: CallTraceDeps): CallTrace {
  return {
    get isOn() {
      return logLevels.showsCalls;
    },
    follow({ req, res }, endpoint) {
      const start = performance.now();
      res.once('close', () => {
        const durationMs = Math.round(performance.now() - start);
        log.debug({ method: req.method, endpoint, status: res.statusCode, durationMs }, 'call answered');
      });
    },
  };
}

/** A wildcard address tells nobody where to call. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

const sweepIntervalMs = 1_000;
const entriesPerSweep = 20_000;

/** Frees what has expired and is not asked for again, a slice at a time. */
function startSweeping(maps: Maps): () => void {
  const timer = setInterval(() => maps.sweep(entriesPerSweep), sweepIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
