/** What somebody from an upstream provider is called here. */
import { isTaken, isUsername } from '../accounts/usernames.ts';
import { normalName } from '../storage/name-keys.ts';
import type { RegistryTransaction } from '../storage/storage.ts';
import type { UpstreamIdentity } from './connector.ts';

const longest = 64;

/**
 * The provider's name for the person where that is free, looks like no other and can be a name here; else one with the
 * provider's id behind it, and a number when that is taken too. A name is for people: it decides nothing.
 */
export function freeUsername(
  transaction: Pick<RegistryTransaction, 'all'>,
  provider: string,
  { username, email, name }: UpstreamIdentity,
): string {
  const wanted = [username, email, name].map(asUsername).find((candidate) => candidate !== undefined);
  if (wanted && !isTaken(transaction, wanted)) return wanted;
  for (let number = 1; ; number++) {
    const ending = `${number === 1 ? '' : `-${number}`}@${provider}`;
    const candidate = `${(wanted ?? 'user').slice(0, longest - ending.length)}${ending}`;
    if (!isTaken(transaction, candidate)) return candidate;
  }
}

function asUsername(text: string | undefined): string | undefined {
  const username = text && normalName(text).trim().replace(/\s+/g, '.').slice(0, longest);
  return username && isUsername(username) ? username : undefined;
}
