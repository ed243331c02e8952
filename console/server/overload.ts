/** How much of this process its callers may hold: the settings, and what the system allows. */
import { readFileSync } from 'node:fs';
import { createOverload, type Overload, type RequestKind } from '../../http/server/overload/overload.ts';
import { memberPaths } from '../../http/server/server-options.ts';
import { createClientAddress, createPeerAddress } from '../http/client-address.ts';
import type { Settings } from '../settings/settings.ts';

/** Of the open files, what is left for members, the store and applications. */
const partForOthers = 0.25;
const waitMs = 10_000;

/** @param isLasting  of the URL of a request: whether its reply goes on, so that the process works for it now and then only */
export function createConsoleOverload(
  settings: Settings,
  isLasting: (url: string) => boolean = () => false,
): Overload {
  return createOverload({
    limits: {
      connections: Math.min(settings.httpConnections, Math.floor(openFiles() * (1 - partForOthers))),
      connectionsPerSource: settings.httpConnectionsPerSource,
      requests: settings.httpRequests,
      requestsPerSource: settings.httpRequestsPerSource,
      waitMs,
      headMs: settings.httpHeadSeconds * 1000,
      bodyMs: settings.httpBodySeconds * 1000,
      replyStallMs: settings.proxyReplyStallSeconds * 1000,
    },
    kindOf: createKindOf(isLasting),
    sourceOfConnection: createPeerAddress(settings),
    sourceOfRequest: createClientAddress(settings),
    now: () => performance.now(),
  });
}

const probes = ['/live', '/ready'];

function createKindOf(isLasting: (url: string) => boolean): (url: string) => RequestKind {
  return (url) => {
    if (memberPaths.test(url)) return 'call';
    const [path = ''] = url.split('?', 1);
    if (probes.includes(path)) return 'probe';
    return isLasting(url) ? 'call' : 'page';
  };
}

/** What the process may have open, sockets included; without a limit where nobody can tell. */
function openFiles(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
