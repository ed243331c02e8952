import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { promisify } from 'node:util';
import type { MemberConfig } from './config/config.ts';
import { createNameLookup } from './config/name-patterns.ts';
import { createMaps, type Maps } from './data/maps.ts';
import { createMemory } from './data/memory.ts';
import { createQueues } from './data/queues.ts';
import { prepareClose } from './graceful-close.ts';
import { answerWith, listenOnFreePort, portOf } from './listen.ts';
import { replyEmpty } from './replies.ts';
import { createBodyReader } from './request-body.ts';
import { type Call, createRouter, type Handler } from './router.ts';
import { createRoutes } from './routes.ts';

/** What the member writes to the log; any logger with these two methods will do. */
export interface MemberLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface MemberOptions {
  readonly config: MemberConfig;
  /** Address to listen on, such as `127.0.0.1`. */
  readonly host: string;
  /** Overrides the port of the configuration; 0 takes any free one. */
  readonly port?: number | undefined;
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
  log = { info() {}, error() {} },
  now = Date.now,
}: MemberOptions): Promise<Member> {
  const attempts = config.port.autoIncrement && port !== 0 ? config.port.portCount : 1;
  const server = await listenOnFreePort({ host, port, attempts });
  const closeServer = prepareClose(server, closeTimeoutMs);
  const boundPort = portOf(server);
  const hostAndPort = `${reachableHost(host)}:${boundPort}`;
  const uuid = randomUUID();
  let closing: Promise<void> | undefined;
  const isReady = () => closing === undefined;

  const memory = createMemory(config.limits.memoryBytes);
  const maps = createMaps({ configOf: createNameLookup(config.maps), memory, now });
  const queues = createQueues({ configOf: createNameLookup(config.queues), memory, limits: config.limits });
  const routes = createRoutes({
    maps,
    queues,
    readBody: createBodyReader({ limitBytes: config.limits.bodyBytes, memory }),
    maxPollSeconds: config.limits.pollSeconds,
    identity: {
      uuid,
      address: hostAndPort,
      clusterName: config.clusterName,
      instanceName: config.instanceName ?? `${config.clusterName}-${boundPort}`,
    },
    countConnections: promisify(server.getConnections.bind(server)),
    isReady,
  });
  const groups = new Set(config.rest.enabled ? config.rest.groups : []);
  const dispatch = createRouter({ routes, groups, nameBytes: config.limits.keyBytes });
  answerWith(server, createListener({ dispatch, log, isReady }));

  const stopSweeping = startSweeping(maps);
  log.info({ address: hostAndPort, uuid, groups: [...groups] }, 'member started');

  async function stop(): Promise<void> {
    stopSweeping();
    queues.endWaits();
    await closeServer();
    log.info({ address: hostAndPort }, 'member stopped');
  }

  return {
    address: `http://${hostAndPort}`,
    port: boundPort,
    uuid,
    close() {
      closing ??= stop();
      return closing;
    },
  };
}

interface ListenerDeps {
  readonly dispatch: Handler;
  readonly log: MemberLog;
  readonly isReady: () => boolean;
}

/** Calls the router; what it throws is a bare 500 (spec §7) and a line in the log. */
function createListener({ dispatch, log, isReady }: ListenerDeps): RequestListener {
  function fail({ req, res }: Call, error: unknown): void {
    log.error({ method: req.method, err: error }, 'request failed');
    if (res.headersSent) req.socket.destroy();
    else replyEmpty(res, 500);
  }

  return function answer(req, res) {
    res.sendDate = false; // the real engine sends no Date, and making one costs
    if (!isReady()) res.shouldKeepAlive = false;
    const call = { req, res };
    try {
      const answered = dispatch(call);
      if (answered !== undefined) answered.catch((error) => fail(call, error));
    } catch (error) {
      fail(call, error);
    }
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
