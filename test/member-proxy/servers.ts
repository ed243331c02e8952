import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { type BearerCheck, createBearerCheck } from '../../access-tokens/bearer.ts';
import { createProofCheck, createProofMemory } from '../../access-tokens/dpop/proof.ts';
import type { ReplayLimits } from '../../access-tokens/dpop/replays.ts';
import { defaultOverloadLimits, type OverloadLimits } from '../../http/server/overload/limits.ts';
import { createOverload } from '../../http/server/overload/overload.ts';
import { memberPaths, serverOptions } from '../../http/server/server-options.ts';
import { guardConnections } from '../../member-proxy/connection-guard.ts';
import { defaultLimits } from '../../member-proxy/limits.ts';
import type { HealthRules } from '../../member-proxy/members/member-health.ts';
import { createMembers, type MembersDeps, type ProbeTimes } from '../../member-proxy/members/members.ts';
import type { MemberPrefix } from '../../member-proxy/members/prefix.ts';
import { type CallRecord, createMemberProxy, type MemberProxyDeps } from '../../member-proxy/proxy.ts';
import { audience, issuer, keySet, makeKey, type TestKey } from './tokens.ts';

/** One request as a member saw it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export type Answer = (req: IncomingMessage, res: ServerResponse, body: Buffer) => void;

/** A member that writes down what reaches it. */
export async function startRecorder(answer: Answer = (_req, res) => res.end('ok')) {
  const seen: Seen[] = [];
  const server = createServer({ keepAliveTimeout: 60_000 }, async (req, res) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of req) {
        chunks.push(chunk as Buffer);
      }
    } catch {
      return; // the proxy broke the exchange off
    }
    const body = Buffer.concat(chunks);
    const { method, url, rawHeaders, headers } = req;
    seen.push({ method: method!, url: url!, rawHeaders, headers, body });
    answer(req, res, body);
  });
  const address = await listen(server);
  return { address, seen, server, close: () => stop(server) };
}

/** A member on a bare socket, for replies that no HTTP server would send. */
export async function startRawMember(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  let opened = 0;
  let closed = 0;
  const server = createNetServer((socket) => {
    sockets.add(socket);
    opened += 1;
    socket.on('close', () => {
      sockets.delete(socket);
      closed += 1;
    });
    socket.on('error', () => undefined);
    serve(socket);
    if (!socket.isPaused()) {
      socket.resume(); // a socket that nobody reads never hears of its end
    }
  });
  const address = await listen(server);
  return {
    address,
    /** Connections that have come so far. */
    opened: () => opened,
    /** Connections that have gone again; the proxy may have opened new ones meanwhile. */
    closed: () => closed,
    async close() {
      for (const socket of sockets) {
        socket.destroy();
      }
      await new Promise((done) => server.close(done));
    },
  };
}

export interface ProxyOptions extends Partial<Omit<MemberProxyDeps, 'members'>> {
  readonly members?: readonly string[];
  /** Absent: `svc` with probes off, else whatever the members answer to. */
  readonly prefix?: MemberPrefix;
  readonly probes?: ProbeTimes;
  readonly health?: HealthRules;
  readonly isDiscovering?: boolean;
  readonly credentialsOf?: MembersDeps['credentialsOf'];
  /** What callers may hold. */
  readonly overload?: Partial<OverloadLimits>;
  /** Of proofs of possession; they have to be made for the issuer's address. */
  readonly replays?: Partial<ReplayLimits>;
  readonly server?: ServerOptions;
  /** Whether plain calls take the short way, as they do at the console. */
  readonly hasFastPath?: boolean;
}

/** The proxy on a server of its own, with a key of its own. */
export async function startProxy({
  members: addresses = [],
  prefix,
  probes,
  health,
  isDiscovering = false,
  credentialsOf,
  overload: overloadLimits = {},
  replays = {},
  server: options,
  hasFastPath = true,
  ...deps
}: ProxyOptions = {}) {
  const key = await makeKey('ES256');
  const keys = keySet(key);
  const revoked = new Set<string>();
  const records: CallRecord[] = [];
  const logged: object[] = [];
  const bearer: BearerCheck = createBearerCheck({
    issuer,
    audience,
    findKey: keys.findKey,
    isRevoked: ({ jti }) => revoked.has(jti),
    now: Date.now,
    proofs: createProofCheck({ origin: issuer, now: Date.now, memory: createProofMemory(replays) }),
  });
  const log = {
    warn: (fields: object) => logged.push(fields),
    error: (fields: object) => logged.push(fields),
  };
  const members = createMembers({
    addresses,
    prefix: prefix ?? (probes ? undefined : 'svc'),
    probes,
    ...(health && { health }),
    ...(credentialsOf && { credentialsOf }),
    isDiscovering,
    limits: { ...defaultLimits, ...deps.limits },
    now: () => performance.now(),
  });
  const proxy = createMemberProxy({
    bearer,
    members,
    credentials: { username: 'dev', password: '' },
    log,
    now: () => performance.now(),
    onDenial: () => randomUUID(),
    requestIdOf: () => 'request-1',
    onDecision: (record) => records.push(record),
    ...deps,
  });
  const overload = createOverload({
    limits: {
      ...defaultOverloadLimits,
      replyStallMs: { ...defaultLimits, ...deps.limits }.replyStallMs,
      ...overloadLimits,
    },
    kindOf: (url) => (memberPaths.test(url) ? 'call' : 'page'),
    sourceOfConnection: ({ remoteAddress }) => remoteAddress,
    sourceOfRequest: () => 'unknown',
    now: () => performance.now(),
  });
  const server = createServer({ ...serverOptions, ...options }, overload.scheduled(proxy.handle));
  const guard = guardConnections(server, { onDenial: deps.onDenial ?? (() => randomUUID()) });
  server.on('checkExpectation', overload.scheduled(guard.rejectExpectation));
  overload.watch(server, hasFastPath ? memberPaths : undefined, guard);
  const address = await listen(server);
  return {
    address,
    members,
    recheck: proxy.recheck,
    waitingPolls: proxy.waitingPolls,
    endWaits: proxy.endWaits,
    key: key as TestKey,
    keys,
    revoked,
    records,
    logged,
    server,
    overload: overload.numbers,
    async close() {
      await stop(server);
      await proxy.close();
    },
  };
}

export type TestProxy = Awaited<ReturnType<typeof startProxy>>;

async function listen(server: Server | NetServer): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise((done) => server.close(done));
  server.closeAllConnections();
  await closed;
}

/** An address where nobody listens. */
export async function unusedAddress(): Promise<string> {
  // Below the ports that the system gives to whoever asks for any: it stays unused while other tests start servers.
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createNetServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((done) => server.close(done));
    return `http://127.0.0.1:${port}`;
  }
}

/** What came back over a bare socket. */
export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
  /** Whether the server closed the connection. */
  readonly isClosed: boolean;
}

/**
 * Sends bytes as they are and reads one reply: until the server closes, or until its declared
 * length is complete and the connection has stayed open for a probe on it.
 */
export async function sendRaw(address: string, bytes: string): Promise<RawReply> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(Buffer.from(bytes, 'latin1'));
  let received = '';
  let isClosed = false;
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (
        /\r\n\r\n/.test(received) &&
        !/^connection: close/im.test(received) &&
        isComplete(received, bytes.startsWith('HEAD '))
      ) {
        resolve();
      }
    });
    socket.on('close', () => {
      isClosed = true;
      resolve();
    });
  });
  socket.destroy();
  const [head = '', body = ''] = received.split('\r\n\r\n', 2);
  return { status: Number(head.split(' ')[1] ?? 0), head, body, isClosed };
}

function isComplete(received: string, isHead: boolean): boolean {
  if (isHead || received.startsWith('HTTP/1.1 204')) {
    return true;
  }
  const end = received.indexOf('\r\n\r\n') + 4;
  const length = /^content-length: (\d+)/im.exec(received)?.[1];
  return length === undefined ? received.endsWith('0\r\n\r\n') : received.length >= end + Number(length);
}

/** Waits until something holds; fails loudly when it never does. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!holds()) {
    if (Date.now() > deadline) {
      throw new Error(`never happened: ${what}`);
    }
    await new Promise((done) => setTimeout(done, 5));
  }
}
