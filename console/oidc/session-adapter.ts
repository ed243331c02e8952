/**
 * The library writes a session as a whole, so of two applications that sign in at the same time one is
 * lost, and with it its code and its refresh tokens. What is noted of each stands by itself, and is put
 * back when the session is read.
 */
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Sessions } from '../accounts/sessions.ts';

export function withRecordedApplications(
  adapter: Adapter,
  applicationsOf: Sessions['applicationsOf'],
): Adapter {
  return {
    ...adapter,
    find: async (id) => complete((await adapter.find(id)) || undefined),
    findByUid: async (uid) => complete((await adapter.findByUid(uid)) || undefined),
  };

  async function complete(session: AdapterPayload | undefined): Promise<AdapterPayload | undefined> {
    if (!session) return undefined;
    const { uid, accountId } = session;
    if (uid === undefined || accountId === undefined) return session;
    const recorded = await applicationsOf({ uid, accountId });
    const authorizations = { ...session.authorizations };
    for (const { clientId, grantId, sid } of recorded) {
      if (grantId !== undefined)
        Object.assign(authorizations, { [clientId]: { ...authorizations[clientId], grantId, sid } });
    }
    return { ...session, authorizations };
  }
}
