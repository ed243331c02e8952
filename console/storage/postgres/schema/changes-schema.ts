/**
 * What the list of changes goes by (decision 0053): entries that say what they have changed, by their line as it stands
 * there. So consoles of the version before need to know nothing of it, and old entries are in it as soon as it is there.
 */
import type { Kysely } from 'kysely';
import { makeBeside } from './lists-schema.ts';

/** `"change":{` in the line; within a text its quotes would be escaped. */
export const saysChange = "position('\\x226368616e6765223a7b'::bytea in stored) > 0";

export async function up(database: Kysely<unknown>): Promise<void> {
  await makeBeside(database, 'audit_entry_change', `audit_entry (latest, chain, seq) where ${saysChange}`);
}
