/** Puts the surfaces of the console together: from services to one request listener. */
import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Setup } from './accounts/setup.ts';
import { createApp } from './app.ts';
import { composeAdminApi } from './compose/admin-api.ts';
import { composeBrowser } from './compose/browser.ts';
import { composeEndpoints } from './compose/endpoints.ts';
import { composeLicenceUpdates } from './compose/licence-updates.ts';
import { composeLogoutNotices } from './compose/logout-notices.ts';
import { composeMembers } from './compose/members.ts';
import { createShared, type SharedDeps } from './compose/shared.ts';
import { createCors } from './http/cors.ts';
import type { Probes } from './http/probes.ts';

export interface Console {
  readonly handle: RequestListener;
  readonly setup: Setup;
  readonly probes: Probes;
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
  const { oauth, endpoints, probes } = composeEndpoints(shared);
  const notices = composeLogoutNotices(shared);
  const licenceUpdates = composeLicenceUpdates(shared);
  const { pages, setup } = await composeBrowser(shared, notices);
  const handle = createApp({
    newRequestId: createRequestIds(),
    cors: createCors({ origins: () => deps.services.clients.origins() }),
    members: proxy.handle,
    oauth,
    endpoints,
    api: composeAdminApi(shared),
    pages,
    metrics,
    audit,
    clientAddress: addressOf,
    log,
  });
  return {
    handle,
    setup,
    probes,
    async close() {
      shared.revocations.close();
      await Promise.all([notices.close(), licenceUpdates.close(), proxy.close()]);
    },
  };
}

/** Short, unique over processes, and cheap: a random stem and a counter. */
function createRequestIds(): () => string {
  const stem = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `${stem}-${(count++).toString(36)}`;
}
