/** What this process has from the console: its revocation stream and its keys, sent to workers as they come. */
import type { Readable } from 'node:stream';
import { machineClock } from '../../platform/clocks.ts';
import { jsonObject } from '../../platform/json.ts';
import type { Logger } from '../../platform/log.ts';
import { denialReportsScope, revocationEventsScope } from '../clients/scopes.ts';
import { createOutbound, type Outbound } from '../http/outbound/outbound.ts';
import type { Settings } from '../settings/settings.ts';
import { denialReportsPath, processReportsPath, usageReportsPath } from '../tokens/proxy-report-paths.ts';
import {
  type RevocationEvent,
  redirectOriginsPath,
  revocationEventsPath,
  revocationEventsVersion,
} from '../tokens/revocation-stream/revocation-event.ts';
import { createKeySource, type KeySet } from './jwks-cache.ts';
import type { ForWorker } from './messages.ts';
import { keysOfSet } from './public-keys.ts';
import { createCountReporter } from './reports/count-reporter.ts';
import { createDenialReporter } from './reports/denial-reporter.ts';
import { createUsageReporter } from './reports/usage-reporter.ts';
import { createRevocationCache } from './revocation-cache.ts';
import { followRevocations } from './revocation-stream.ts';
import { fetchServiceToken, RejectedByConsoleError } from './service-token.ts';

export type ControlPlaneClient = ReturnType<typeof createControlPlaneClient>;

export interface ControlPlaneClientDeps {
  readonly settings: Settings;
  readonly log: Logger;
  /** Gets everything that is new, in its order. */
  readonly send: (message: ForWorker) => void;
}

/** For reports when the process has to stop, milliseconds. */
const lastReportsMs = 1_500;

/** How long a key set is kept when the console does not say, and within which bounds it may say it. */
const maxAgeSeconds = { usual: 300, least: 10, most: 3600 } as const;

export function createControlPlaneClient({ settings, log, send }: ControlPlaneClientDeps) {
  const outbound = outboundTo(settings);
  const problem = createProblemLog(log);
  const cache = createRevocationCache({
    graceSeconds: settings.proxyNewsGraceSeconds,
    monotonic: machineClock,
    now: Date.now,
  });
  const keys = createKeySource({
    fetchKeys: () => fetchKeys(outbound, settings.jwksUri),
    onKeys: (found) => pass({ type: 'keys', keys: found }),
    onFailure: (error) => problem('keys of the console', error),
    now: () => performance.now(),
  });
  const endStream = followRevocations({
    open: (signal) => openStream(outbound, settings, signal),
    onState(events) {
      pass({ ...cache.state(), type: 'state', events });
      followKeys(events);
      problem('news of the console', undefined);
    },
    onEvents(events) {
      pass({ type: 'events', events });
      followKeys(events);
    },
    onLost: (error) => problem('news of the console', error),
  });

  const reports = createDenialReporter({
    send: createReporter(outbound, settings, denialReportsPath, (status) => {
      log.warn({ status }, 'the console does not take a report of denials: they are in this log only');
    }),
    onResult: (error) => problem('reports of refusals', error),
  });
  const use = createUsageReporter({
    send: createReporter(outbound, settings, usageReportsPath, (status) => {
      use.lose();
      log.warn({ status }, 'the console does not take a report of calls: what they used looks unused there');
    }),
    onResult: (error) => problem('reports of calls', error),
  });

  const counts = createCountReporter({
    send: createReporter(outbound, settings, processReportsPath, (status) => {
      log.warn({ status }, 'the console does not take what this proxy has counted: its pages do not show it');
    }),
    onResult: (error) => problem('reports of numbers', error),
  });

  const askOrigin = createOriginQuestion(outbound, settings);

  return {
    /** Everything that is known now, for a worker that starts. */
    state: cache.state,
    /** Whether enough is known for calls to pass. */
    isCurrent: cache.isCurrent,
    /** Resolves when the key has been looked for. */
    fetchKey: keys.fetchKey,
    /** Whether pages of this origin may call; undefined while the console cannot be asked. */
    askOrigin: (origin: string): Promise<boolean | undefined> => askOrigin(origin).catch(() => undefined),
    /** Tells the console what was refused here, when it can be told. */
    report: reports.add,
    /** Tells the console what was used here, when it can be told. */
    reportUse: use.add,
    /** Tells the console what a process has counted here. */
    reportCounts: counts.add,
    /** Ends it; what is still to be reported gets a moment. */
    async close() {
      endStream();
      keys.close();
      const [unreported] = await Promise.all([
        use.close(lastReportsMs),
        reports.close(lastReportsMs),
        counts.close(lastReportsMs),
      ]);
      if (unreported > 0) {
        log.warn(
          { rows: unreported },
          'the console could not be told of the last calls: what they used may look unused there',
        );
      }
    },
  };

  function pass(message: Parameters<typeof cache.take>[0]): void {
    cache.take(message);
    send(message);
    if (message.type === 'keys') problem('keys of the console', undefined);
  }

  function followKeys(events: readonly RevocationEvent[]): void {
    const last = events.findLast((entry) => entry.type === 'keys');
    if (last) keys.follow(last.kids);
  }
}

/** The console's own address is meant wherever it lies; no other is called. */
function outboundTo({ jwksUri, outboundAllow }: Settings): Outbound {
  const { origin, hostname } = new URL(jwksUri);
  return createOutbound({
    allow: [...outboundAllow, hostname.replace(/^\[|\]$/g, '')],
    isKnownLoopback: (called) => called === origin,
  });
}

async function fetchKeys(outbound: Outbound, url: string): Promise<KeySet> {
  const { status, headers, body } = await outbound.send({ url, headers: { Accept: 'application/json' } });
  const keys = status === 200 ? keysOfSet(jsonObject(body)) : undefined;
  if (!keys) throw new RejectedByConsoleError(`there is no key set at CONSOLE_JWKS_URI (status ${status})`);
  const stated = /(?:^|[ ,])max-age=(\d{1,9})/i.exec(headers['cache-control'] ?? '')?.[1];
  const { usual, least, most } = maxAgeSeconds;
  return { keys, maxAgeSeconds: Math.min(Math.max(Number(stated ?? usual), least), most) };
}

function serviceTokenFor(scope: string, outbound: Outbound, settings: Settings): Promise<string> {
  const { jwksUri, proxyClientId = '', proxyClientSecret } = settings;
  return fetchServiceToken({
    outbound,
    tokenEndpoint: `${new URL(jwksUri).origin}/oauth2/token`,
    clientId: proxyClientId,
    secret: proxyClientSecret?.reveal() ?? '',
    scope,
  });
}

async function openStream(outbound: Outbound, settings: Settings, signal: AbortSignal): Promise<Readable> {
  const { origin } = new URL(settings.jwksUri);
  const token = await serviceTokenFor(revocationEventsScope, outbound, settings);
  const response = await outbound.open({
    url: `${origin}${revocationEventsPath}?version=${revocationEventsVersion}&usage=reported`,
    headers: { Authorization: `Bearer ${token}` },
    signal,
  });
  if (response.statusCode === 200) return response;
  response.destroy();
  throw new RejectedByConsoleError(
    `the console answered ${response.statusCode} to the request for its revocation events`,
  );
}

/** One after the other may use a token that was fetched for the first. */
function createOriginQuestion(outbound: Outbound, settings: Settings) {
  const url = new URL(settings.jwksUri).origin + redirectOriginsPath;
  let token: Promise<string> | undefined;

  return async (origin: string): Promise<boolean> => {
    token ??= serviceTokenFor(revocationEventsScope, outbound, settings);
    const used = token;
    try {
      const { status, body } = await outbound.send({
        url: `${url}?origin=${encodeURIComponent(origin)}`,
        headers: { Authorization: `Bearer ${await used}` },
      });
      const isKnown = status === 200 ? jsonObject(body)?.isKnown : undefined;
      if (typeof isKnown === 'boolean') return isKnown;
      throw new RejectedByConsoleError(`the console answered ${status} to a question about an origin`);
    } catch (error) {
      if (token === used) token = undefined;
      throw error;
    }
  };
}

/** @param onRejected  hears of a report that the console will not take at all; it is given up */
function createReporter(
  outbound: Outbound,
  settings: Settings,
  path: string,
  onRejected: (status: number) => void,
) {
  const url = new URL(settings.jwksUri).origin + path;
  let token: string | undefined;

  /** @throws {Error} when it may go better another time */
  return async (report: object): Promise<void> => {
    token ??= await serviceTokenFor(denialReportsScope, outbound, settings);
    const { status } = await outbound.send({
      url,
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(report),
    });
    if (status === 204) return;
    if (status === 400 || status === 413) return onRejected(status);
    token = undefined;
    throw new RejectedByConsoleError(`the console answered ${status} to a report`);
  };
}

/** Each reason once, and that it is over: a console that is away would fill the log otherwise. */
function createProblemLog(log: Logger) {
  const reasons = new Map<string, string>();
  return (what: string, error: unknown): void => {
    const reason = error === undefined ? undefined : reasonOf(error);
    const before = reasons.get(what);
    if (reason === before) return;
    if (reason === undefined) {
      reasons.delete(what);
      log.info({ what }, 'the console answers again');
    } else {
      reasons.set(what, reason);
      log.warn({ what, reason }, 'the console does not answer as it should');
    }
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
