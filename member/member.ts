/** The embedded member: the REST surface of a cluster member with its data, configuration, persistence and replication, in this process. */
import { promisify } from 'node:util';
import { watchDelivery } from '../http/server/delivery.ts';
import { createCluster } from './cluster/cluster.ts';
import { createLifecycle, type Lifecycle } from './cluster/lifecycle.ts';
import { createConfigChanges } from './config/changes/config-changes.ts';
import { createLiveConfig, type LiveConfig } from './config/changes/live-config.ts';
import type { MemberConfig } from './config/config.ts';
import { type CpSubsystem, createCpSubsystem } from './cp/cp-subsystem.ts';
import { memoryOnly } from './data/changes.ts';
import { createMaps, type Maps } from './data/maps.ts';
import { createMemory, type Memory } from './data/memory.ts';
import { createQueues, type Queues } from './data/queues.ts';
import { prepareClose } from './graceful-close.ts';
import { bracketedAddress, createIdentity, type MemberIdentity, reachableHost } from './identity.ts';
import { answerWith, portOf } from './listen.ts';
import { createCallTrace, createListener } from './listener.ts';
import { type MemberLog, ownLogOf, silentLog } from './log.ts';
import { createCredentials } from './management/credentials.ts';
import { createLicences, type Licences } from './management/licence.ts';
import { createLogLevels } from './management/log-levels.ts';
import { createManagement } from './management/management-route.ts';
import { openPersistence, type Persistence } from './persistence/persistence.ts';
import { openPorts } from './ports.ts';
import { createBodyReader } from './request-body.ts';
import { createRouter } from './router.ts';
import { createRoutes } from './routes.ts';
import { createWan } from './wan/wan.ts';

export interface MemberOptions {
  readonly config: MemberConfig;
  /** Address to listen on, such as `127.0.0.1`. */
  readonly host: string;
  /** Overrides the member's port of the configuration; 0 takes any free one. */
  readonly port?: number | undefined;
  /** Its level stays as it is: the member logs through a child. */
  readonly log?: MemberLog;
  /** Epoch milliseconds; what map entries expire by. */
  readonly now?: () => number;
}

export interface Member {
  /** Base address of its REST interface, such as `http://127.0.0.1:5701`. */
  readonly address: string;
  /** The port in it: the member's, unless REST has a listener of its own. */
  readonly port: number;
  readonly uuid: string;
  /** Why it listens and has not started: damaged files, until forceStart or partialStart is called. */
  readonly damage: string | undefined;
  /** What CP clients do, for who has the member in its own process: HTTP has no call to open a session. */
  readonly cp: Pick<CpSubsystem, 'openSession'>;
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
 * Starts a cluster member that stands alone, with all of the member REST interface.
 *
 * @throws {PortTakenError} when the port, or each port that the configuration allows, is taken
 * @throws {OperationFailedError} when the licence key of the configuration is none
 * @throws {PersistenceRejectedError} when another member uses its data
 */
export async function startMember({
  config,
  host,
  port,
  log: handedLog = silentLog,
  now = Date.now,
}: MemberOptions): Promise<Member> {
  const licences = createLicences(config.licenceKey);
  const log = ownLogOf(handedLog);
  const live = createLiveConfig(config);
  const persistence = config.persistence.enabled
    ? openPersistence({ config: config.persistence, mapConfigOf: live.maps.of, log, now })
    : undefined;
  const { server, memberPort, closeQuietPort } = await openPorts(config, host, port).catch(async (error) => {
    await persistence?.close();
    throw error;
  });
  const closeServer = prepareClose(server, closeTimeoutMs);
  const identity = createIdentity(config, host, memberPort);
  const { uuid, address } = identity;
  const lifecycle = createLifecycle();
  const memory = createMemory(config.limits.memoryBytes);
  const recorder = persistence?.recorder ?? memoryOnly;
  const maps = createMaps({ configOf: live.maps.of, memory, now, recorder });
  const queues = createQueues({ configOf: live.queues.of, memory, limits: config.limits, recorder });
  const { dispatch, groups, cp, replications } = createSurface({
    config,
    live,
    data: { memory, maps, queues },
    persistence,
    identity,
    lifecycle,
    licences,
    log,
    now,
    shutDown() {
      log.warn({ address }, 'shutting down, as a call has asked');
      stop().catch((error) => log.error({ err: error }, 'the member could not stop as it should'));
    },
    countConnections: promisify(server.getConnections.bind(server)),
  });
  async function end(): Promise<void> {
    lifecycle.stopping();
    stopSweeping();
    queues.endWaits();
    try {
      closeQuietPort();
      await closeServer();
      await replications.close();
      await persistence?.close();
    } finally {
      lifecycle.stopped();
      log.info({ address }, 'member stopped');
    }
  }
  let stopping: Promise<void> | undefined;
  function stop(): Promise<void> {
    stopping ??= end();
    return stopping;
  }
  answerWith(server, createListener({ dispatch, log, isStopping: () => stopping !== undefined }));

  const stopSweeping = startSweeping(maps);
  lifecycle.opened();
  if (persistence !== undefined) {
    // It listens and is not ready meanwhile; damaged files keep it so until somebody decides.
    lifecycle
      .recover(() => persistence.recover({ maps, queues }))
      .catch((error) => log.error({ err: error }, 'persisted data could not be read back'));
    await persistence.examined;
  }
  const { notices } = config;
  if (notices.length > 0) log.warn({ notices }, 'parts of the configuration have no effect here');
  log.info({ address, uuid, groups: [...groups] }, 'member started');

  return {
    address: `http://${reachableHost(host)}:${portOf(server)}`,
    port: portOf(server),
    uuid,
    get damage() {
      return persistence?.damage;
    },
    cp,
    close: stop,
    stopped: lifecycle.ended,
  };
}

interface SurfaceDeps {
  readonly config: MemberConfig;
  readonly live: LiveConfig;
  /** What the member holds, and the memory that bounds it. */
  readonly data: { readonly memory: Memory; readonly maps: Maps; readonly queues: Queues };
  readonly persistence: Persistence | undefined;
  readonly now: () => number;
  readonly identity: MemberIdentity;
  readonly lifecycle: Lifecycle;
  readonly licences: Licences;
  readonly log: MemberLog;
  /** Ends the member, as a call has asked. */
  readonly shutDown: () => void;
  readonly countConnections: () => Promise<number>;
}

/** What the member answers: every call of it, behind one router. */
function createSurface({ data, shutDown, countConnections, ...deps }: SurfaceDeps) {
  const { config, live, persistence, identity, lifecycle, licences, log, now } = deps;
  const { memory, maps, queues } = data;
  const logLevels = createLogLevels(log);
  const cluster = createCluster({
    lifecycle,
    onChange: (from, to) => log.info({ from, to }, 'cluster state changed'),
  });
  const readBody = createBodyReader({ limitBytes: config.limits.bodyBytes, memory });
  const accept = createCredentials(config);
  const local = { uuid: identity.uuid, address: bracketedAddress(identity.address) };
  const cp = createCpSubsystem({ ...config.cp, local, now });
  const wan = createWan({ config, mapConfigOf: live.maps.of, maps, cluster, memory, log, now });
  const { replications } = wan;
  const routes = createRoutes({
    ...wan,
    maps,
    queues,
    cluster,
    readBody,
    watchDelivery,
    log,
    identity,
    lifecycle,
    licences,
    logLevels,
    cp,
    persistence,
    accept,
    shutDown,
    countConnections,
    managementRoute: createManagement({ readBody, accept, log }),
    maxPollSeconds: config.limits.pollSeconds,
    configChanges: createConfigChanges({ config, live, structures: { maps, queues }, log, replications }),
    isSecured: config.security.enabled,
    isRestApart: config.rest.listener !== undefined,
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
  return { dispatch, groups, cp, replications };
}

const sweepIntervalMs = 1_000;
const entriesPerSweep = 20_000;

/** Frees what has expired and is not asked for again, a slice at a time. */
function startSweeping(maps: Maps): () => void {
  const timer = setInterval(() => maps.sweep(entriesPerSweep), sweepIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
