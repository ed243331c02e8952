/** What sessions are counted by: those that belong to an account, with the time that they end at. */
import type { Kysely } from 'kysely';
import { makeBeside } from './lists-schema.ts';

/** A condition of the index, which a statement has to say in the same words. */
export const isOfAccount = `kind = 'Session' and account_key is not null`;

export async function up(database: Kysely<unknown>): Promise<void> {
  await makeBeside(database, 'artifact_session', `artifact (expires_at) where ${isOfAccount}`);
}
