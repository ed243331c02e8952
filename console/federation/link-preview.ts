/** What a sign-in would lead to, without leading there: for an administrator who sets a provider up. */

import type { RecordReads } from '../storage/record-store.ts';
import type { UserRecord } from '../storage/records.ts';
import type { LinkingProvider } from './account-linking.ts';
import type { UpstreamIdentity } from './connector.ts';
import { type MatchedRule, matchesOf, rolesOf } from './role-rules.ts';
import { freeUsername } from './usernames.ts';

export interface LinkPreview {
  /** Each rule of the provider, in its order. */
  readonly rules: readonly MatchedRule[];
  /** What the account would have; none means that the sign-in is refused. */
  readonly roles: readonly string[];
  /** Of the account that is there, else of the one that would be made. */
  readonly username: string;
  readonly state: 'known' | 'disabled' | 'new';
}

export async function previewLink(
  records: Pick<RecordReads, 'userByLink' | 'isNameTaken'>,
  provider: LinkingProvider,
  identity: UpstreamIdentity,
): Promise<LinkPreview> {
  const known = await records.userByLink(provider.id, identity.subject);
  return {
    rules: matchesOf(identity, provider.roleRules),
    roles: rolesOf(identity, provider.roleRules),
    username: known?.username ?? (await freeUsername(records, provider.id, identity)),
    state: stateOf(known),
  };
}

function stateOf(known: UserRecord | undefined): LinkPreview['state'] {
  if (known === undefined) return 'new';
  return known.disabled ? 'disabled' : 'known';
}
