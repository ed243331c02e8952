/** Whose sessions live pages are of, as the accounts are now: asked again and again, and for all pages at once. */
import type { WithSession } from '../../login/signed-in.ts';

export interface LiveAccountsDeps {
  /**
   * Those of these sessions that count, by their `uid`; they are not prolonged by that.
   *
   * @param before  where those were that are asked for again and again: filled by each look
   */
  readonly liveSessions: (
    uids: readonly string[],
    before?: Map<string, string>,
  ) => Promise<ReadonlySet<string>>;
  readonly findUser: (id: string) => Promise<WithSession['account'] | undefined>;
}

export type LiveAccounts = (
  sessions: readonly WithSession['current'][],
  before?: Map<string, string>,
) => Promise<ReadonlyMap<string, WithSession['account']>>;

/** Each account is read once. @returns by the `uid` of those sessions that count, of accounts that are not disabled */
export function createLiveAccounts({ liveSessions, findUser }: LiveAccountsDeps): LiveAccounts {
  return async (sessions, before) => {
    const uids = sessions.map(({ uid }) => uid);
    const live = await liveSessions(uids, before);
    const counting = sessions.filter(({ uid }) => live.has(uid));
    const accounts = new Map<string, WithSession['account'] | undefined>();
    for (const { accountId } of counting)
      if (!accounts.has(accountId)) accounts.set(accountId, await findUser(accountId));
    return new Map(
      counting.flatMap(({ uid, accountId }) => {
        const account = accounts.get(accountId);
        return account && !account.disabled ? [[uid, account] as const] : [];
      }),
    );
  };
}
