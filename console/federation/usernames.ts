/** What somebody from an upstream provider is called here. */
import { randomInt } from 'node:crypto';
import { isTaken, isUsername } from '../accounts/usernames.ts';
import { normalName } from '../storage/name-keys.ts';
import type { RecordReads } from '../storage/record-store.ts';
import type { UpstreamIdentity } from './connector.ts';

const longest = 64;

/** Numbers that are tried in turn; then it is by chance, so that the next one costs the same however many there are. */
const inTurn = 9;

/**
 * The provider's name for the person where that is free, looks like no other and can be a name here; else one with the
 * provider's id behind it, and a number when that is taken too. A name is for people: it decides nothing.
 */
export async function freeUsername(
  records: Pick<RecordReads, 'isNameTaken'>,
  provider: string,
  { username, email, name }: UpstreamIdentity,
): Promise<string> {
  const wanted = [username, email, name].map(asUsername).find((candidate) => candidate !== undefined);
  if (wanted && !(await isTaken(records, wanted))) return wanted;
  for (let attempt = 1; ; attempt++) {
    const ending = `${attempt === 1 ? '' : `-${numberOf(attempt)}`}@${provider}`;
    const candidate = `${(wanted ?? 'user').slice(0, longest - ending.length)}${ending}`;
    if (!(await isTaken(records, candidate))) return candidate;
  }
}

function numberOf(attempt: number): number {
  return attempt <= inTurn ? attempt : randomInt(1_000_000_000);
}

function asUsername(text: string | undefined): string | undefined {
  const username = text && normalName(text).trim().replace(/\s+/g, '.').slice(0, longest);
  return username && isUsername(username) ? username : undefined;
}
