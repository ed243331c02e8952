/**
 * One place that decides how much of this process a connection, a source and all callers may hold (S92): connections,
 * what is sent ahead on them, requests that this process works for, bodies that come too slowly, replies that nobody
 * reads. Imports nothing of ours: members have it too.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { openFastPath } from '../fast-path/fast-path.ts';
import { AheadBytes } from './ahead-bytes.ts';
import type { OverloadAnswers } from './answers.ts';
import type { OverloadLimits } from './limits.ts';
import { type Exchange, ParsedConnection, parsedConnectionOf } from './parsed-connection.ts';
import type { Peer } from './peer.ts';
import { Places } from './places.ts';
import { mostForProbes, type Seat, Seats } from './seats.ts';
import { createSentAhead } from './sent-ahead.ts';
import { pollPeers } from './slow-peers.ts';
import { TimeSlicer } from './time-slicer.ts';

/**
 * What a request asks for: whether the process is there, which is always answered; a call that others work for, and that
 * has limits of its own; or a page or an endpoint, for which this process works.
 */
export type RequestKind = 'probe' | 'call' | 'page';

/** Why a connection was closed, or refused. */
export type CutReason = 'connections' | 'requests' | 'ahead' | 'slow_body' | 'unread_reply';

export interface OverloadDeps {
  readonly limits: OverloadLimits;
  readonly kindOf: (url: string) => RequestKind;
  /** Canonical address; undefined when the peer is a trusted proxy. */
  readonly sourceOfConnection: (socket: Socket) => string | undefined;
  /** Canonical address of the caller behind a trusted proxy. */
  readonly sourceOfRequest: (req: IncomingMessage) => string;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

export interface OverloadNumbers {
  readonly connections: number;
  /** Pages and endpoints under way. */
  readonly requests: number;
  /** Those that wait for a place. */
  readonly waiting: number;
  /** Bytes that have come and are not read yet. */
  readonly aheadBytes: number;
  readonly cut: Readonly<Record<CutReason, number>>;
}

export interface Overload {
  /** Starts each request when it may: in the order of its connection, and when there is a place. */
  scheduled(handle: RequestListener): RequestListener;
  /**
   * To be called before the server listens, and before anything else takes its connections over.
   *
   * @param paths  of requests that the fast path takes, without a flag, all of them calls; undefined for no fast path
   */
  watch(server: Server, paths: RegExp | undefined, answers: OverloadAnswers): Watched;
  readonly numbers: OverloadNumbers;
}

/** Bodies up to here are waited for before a place is taken; less than what Node keeps of a body that nobody reads. */
const smallBodyBytes = 8 * 1024;
/** Requests with larger bodies hold their place while the body comes, so they have places of their own, fewer by this. */
const partForLargeBodies = 4;
/** Milliseconds of one turn of the event loop that calls on new connections may take, when thousands come at once. */
const firstCallsMs = 0.25;
/** How long a connection beyond the limits may take to ask for a probe. */
const probeMs = 2_000;

/** The connections of one server. */
export interface Watched {
  /** Starts what was sent ahead and waits for its turn: a server that is about to end owes these replies too. */
  startWaiting(): void;
}

export function createOverload(deps: OverloadDeps): Overload {
  const { limits, kindOf, sourceOfConnection, sourceOfRequest, now } = deps;
  const seats = new Seats(limits);
  const ahead = new AheadBytes();
  const sentAhead = createSentAhead();
  const firstCalls = new TimeSlicer(firstCallsMs);
  const places = new Places(limits, now);
  const largeBodies = new Places(shareOf(limits), now);
  const cut = { connections: 0, requests: 0, ahead: 0, slow_body: 0, unread_reply: 0 };

  return {
    scheduled,
    watch,
    numbers: {
      get connections() {
        return seats.taken;
      },
      get requests() {
        return places.taken + largeBodies.taken;
      },
      get waiting() {
        return places.waiting + largeBodies.waiting;
      },
      get aheadBytes() {
        return ahead.total;
      },
      cut,
    },
  };

  function scheduled(handle: RequestListener): RequestListener {
    return serialize(handle, exchangeOf);
  }

  function exchangeOf(
    connection: ParsedConnection,
    req: IncomingMessage,
    res: ServerResponse,
    handle: () => void,
  ): Exchange {
    const kind = kindOf(req.url!);
    const exchange: Exchange = {
      req,
      res,
      isQuick: () => kind === 'call' && res.statusCode < 400,
      onOver: () => {},
      start() {
        if (connection.isForProbes) answerProbe(connection, kind, exchange, handle);
        else if (kind === 'page') waitForPlace(connection, exchange, handle);
        else handle();
      },
    };
    return exchange;
  }

  function answerProbe(
    connection: ParsedConnection,
    kind: RequestKind,
    { req, res }: Exchange,
    handle: () => void,
  ): void {
    if (kind !== 'probe') {
      reject(connection, 'connections', req);
      return;
    }
    res.shouldKeepAlive = false;
    handle();
  }

  function waitForPlace(connection: ParsedConnection, exchange: Exchange, handle: () => void): void {
    const { req } = exchange;
    const length = bodyLengthOf(req);
    if (req.complete || length === 0) takePlace(places);
    else if (length <= smallBodyBytes) connection.whenBodyIsHere(() => takePlace(places));
    else takePlace(largeBodies);

    function takePlace(from: Places): void {
      const { source: itsOwn, isTrusted } = connection.seat;
      const source = isTrusted ? seats.sources.hold(sourceOfRequest(req)) : itsOwn;
      const ticket = from.take(source, handle, () => reject(connection, 'requests', req));
      let isOver = false;
      exchange.onOver = () => {
        if (isOver) return;
        isOver = true;
        from.leave(ticket);
        if (isTrusted) seats.sources.release(source);
      };
    }
  }

  function reject(
    connection: ParsedConnection,
    what: 'connections' | 'requests',
    req?: IncomingMessage,
  ): void {
    cut[what] += 1;
    connection.answers.reject(connection.socket, what, req);
  }

  function watch(server: Server, paths: RegExp | undefined, answers: OverloadAnswers): Watched {
    const peers = new Set<Peer>();
    const event = 'setSecureContext' in server ? 'secureConnection' : 'connection';
    const [serve] = server.listeners(event) as ((this: Server, socket: Socket) => void)[];
    const shared = { server, serve: serve!, answers, ahead, sentAhead, onFull: () => void cut.ahead++ };
    const openFast =
      event === 'connection' && paths ? openFastPath(server, paths, { ahead, firstCalls }) : undefined;
    // Far beyond, those in the middle of a handshake included, they are closed as they come.
    server.maxConnections = limits.connections + 2 * mostForProbes;
    server.off(event, serve!);
    server.on(event, accept);
    startBeforeClosing(server, peers);
    const stopPolling = pollPeers(peers, limits, {
      onSlowBody(peer) {
        if (peer.socket.writableEnded || peer.isDiscarded) return;
        peer.isDiscarded = true;
        cut.slow_body += 1;
        server.emit('clientError', requestTimeout(), peer.socket);
      },
      onUnread({ socket }, isReported) {
        cut.unread_reply += 1;
        if (!isReported) answers.onUnread(socket);
        socket.destroy();
      },
      onPoll() {
        places.check();
        largeBodies.check();
      },
    });
    server.once('close', stopPolling);
    return { startWaiting: () => startWaiting(peers) };

    function accept(socket: Socket): void {
      firstCalls.giveWay();
      const seat = seats.take(socket, sourceOfConnection(socket));
      if (seat === undefined) {
        cut.connections += 1;
        answers.reject(socket, 'connections');
      } else if (seat.isForProbes) {
        awaitProbe(parse(socket, seat));
      } else if (openFast === undefined) {
        parse(socket, seat);
      } else {
        const connection = openFast(socket, (bytes) => {
          peers.delete(connection);
          if (bytes !== undefined) parse(socket, seat).read(bytes);
        });
        peers.add(connection);
      }
    }

    function parse(socket: Socket, seat: Seat): ParsedConnection {
      const connection = new ParsedConnection(socket, seat, shared);
      peers.add(connection);
      socket.once('close', () => peers.delete(connection));
      return connection;
    }

    function awaitProbe(connection: ParsedConnection): void {
      const timer = setTimeout(() => {
        if (!connection.hasBegun) reject(connection, 'connections');
      }, probeMs);
      connection.socket.once('close', () => clearTimeout(timer));
    }
  }
}

/** A connection on which something waits for its turn is idle to Node: it is answered before its connection ends. */
function startBeforeClosing(server: Server, peers: ReadonlySet<Peer>): void {
  const { closeIdleConnections } = server;
  server.closeIdleConnections = () => {
    startWaiting(peers);
    closeIdleConnections.call(server);
  };
}

function startWaiting(peers: ReadonlySet<Peer>): void {
  for (const peer of peers) peer.startNext();
}

/** The same for a server that has nothing but calls. */
export function serializeCalls(handle: RequestListener): RequestListener {
  return serialize(handle, (_connection, req, res, start) => {
    return { req, res, start, onOver: () => {}, isQuick: () => res.statusCode < 400 };
  });
}

type ExchangeOf = (
  connection: ParsedConnection,
  req: IncomingMessage,
  res: ServerResponse,
  handle: () => void,
) => Exchange;

function serialize(handle: RequestListener, exchangeOf: ExchangeOf): RequestListener {
  return function handleSerialized(req, res) {
    const connection = parsedConnectionOf(req.socket);
    // The fast path reads one call at a time by itself.
    if (connection === undefined) handle(req, res);
    else connection.begin(exchangeOf(connection, req, res, () => handle(req, res)));
  };
}

/** Infinity when only its end will tell. */
function bodyLengthOf({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}

function shareOf({ requests, requestsPerSource, waitMs }: OverloadLimits) {
  return {
    requests: Math.ceil(requests / partForLargeBodies),
    requestsPerSource: Math.ceil(requestsPerSource / partForLargeBodies),
    waitMs,
  };
}

/** As Node's server puts it. */
export function requestTimeout(): Error {
  return Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}
