/** The numbers of this process: what the feature needs, and its address. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallerCheck } from '../http/caller-check.ts';
import type { Endpoint, EndpointRouter } from '../http/endpoints.ts';
import { isLoopbackAddress, isLoopbackHost } from '../http/outbound/loopback.ts';
import type { Role } from '../storage/records.ts';
import { expose } from './exposition.ts';
import type { Numbers } from './numbers.ts';

export interface MetricsNeeds {
  readonly numbers: () => Promise<Numbers>;
  readonly callers: CallerCheck<Reader>;
}

interface Reader {
  readonly roles: readonly string[];
}

/** A custom role opens calls to the members and operations of the admin API, and no numbers. */
const readers: readonly Role[] = ['Admin', 'Viewer', 'MetricsViewer'];

export function addMetricsRoutes(router: EndpointRouter, { numbers, callers }: MetricsNeeds): void {
  /**
   * Numbers tell about use: they are for this machine itself, or for a token with a built-in role (S49).
   *
   * @throws {ProblemError} `insufficient_scope`, and as {@link CallerCheck.authenticate}
   */
  const fromHereOrWithRole =
    (inner: Endpoint): Endpoint =>
    async (req, res) => {
      if (!isFromThisMachine(req)) await checkRole(req, callers);
      await inner(req, res);
    };

  router.all('/metrics', fromHereOrWithRole, async (req: IncomingMessage, res: ServerResponse) => {
    const { contentType, body } = expose(await numbers(), req.headers.accept);
    res.writeHead(200, {
      'Content-Type': contentType,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      Vary: 'Accept',
    });
    res.end(body);
  });
}

async function checkRole(req: IncomingMessage, callers: CallerCheck<Reader>): Promise<void> {
  const caller = await callers.authenticate(req);
  if (readers.some((role) => caller.roles.includes(role))) return;
  throw callers.insufficientScope(
    caller,
    'Metrics need an access token with a built-in role.',
    'app:MetricsViewer',
  );
}

/** What a proxy adds when it asks for somebody else. */
const traces = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'];

/**
 * A peer on loopback that is no proxy. It also names this machine: a page in a browser here whose
 * own name has been pointed at loopback does not, nor does a proxy that passes the public name on.
 */
function isFromThisMachine(req: IncomingMessage): boolean {
  return (
    isLoopbackAddress(req.socket.remoteAddress ?? '') &&
    isLoopbackHost(req.headers.host ?? '') &&
    traces.every((field) => req.headers[field] === undefined)
  );
}
