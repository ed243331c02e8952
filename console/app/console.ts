/** Puts the surfaces of the console together: from services to one request listener. */
import type { RequestListener } from 'node:http';
import type { MemberProxy } from '../../member-proxy/proxy.ts';
import type { Setup } from '../accounts/setup.ts';
import { createCors } from '../http/cors.ts';
import { createRequestIds } from '../http/request-id.ts';
import { createApp } from '../server/request-handler.ts';
import { denialReportsPath } from '../tokens/denial-report-scope.ts';
import { revocationEventsPath } from '../tokens/revocation-stream/revocation-event.ts';
import { composeAdminApi } from './wiring/admin-api.ts';
import { composeBrowser } from './wiring/browser.ts';
import { composeDenialReports } from './wiring/denial-reports.ts';
import { composeEndpoints } from './wiring/endpoints.ts';
import { composeLicenceUpdates } from './wiring/licence-updates.ts';
import { composeLogoutNotices } from './wiring/logout-notices.ts';
import { composeMembers } from './wiring/members.ts';
import { composeRevocationStream } from './wiring/revocation-stream.ts';
import { createShared, type SharedDeps } from './wiring/shared.ts';

export interface Console {
  readonly handle: RequestListener;
  readonly setup: Setup;
  readonly members: Pick<MemberProxy, 'statuses' | 'firstProbe'>;
  /** Not ready from now on; ends the replies that would not end by themselves. */
  drain(): void;
  /** Ends the connections to the members and to applications. */
  close(): Promise<void>;
}

export interface ComposeDeps extends SharedDeps {
  /** Base addresses of the members. */
  readonly members: readonly string[];
}

export async function composeConsole({ members, ...deps }: ComposeDeps): Promise<Console> {
  const shared = await createShared(deps);
  const { metrics, audit, log, addressOf } = shared;
  const proxy = composeMembers(shared, members);
  const { oauth, endpoints, probes, close: closeProbes } = composeEndpoints(shared);
  const notices = composeLogoutNotices(shared);
  const licenceUpdates = composeLicenceUpdates(shared);
  const revocationStream = composeRevocationStream(shared);
  const { pages, setup } = await composeBrowser(shared, notices);
  const handle = createApp({
    newRequestId: createRequestIds(),
    cors: createCors({ origins: () => deps.services.clients.origins() }),
    members: proxy.handle,
    oauth,
    endpoints: new Map([
      ...endpoints,
      [revocationEventsPath, revocationStream.handle],
      [denialReportsPath, composeDenialReports(shared)],
    ]),
    api: composeAdminApi(shared, proxy),
    pages,
    metrics,
    audit,
    clientAddress: addressOf,
    log,
  });
  return {
    handle,
    setup,
    members: proxy,
    drain() {
      probes.drain();
      revocationStream.close();
    },
    async close() {
      revocationStream.close();
      shared.revocations.close();
      await Promise.all([notices.close(), licenceUpdates.close(), proxy.close(), closeProbes()]);
    },
  };
}
