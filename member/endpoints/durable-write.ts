import { ChangeNotDurableError } from '../data/changes.ts';
import { replyEmpty } from '../replies.ts';
import type { Call } from '../router.ts';

/** Runs a write; one that cannot be persisted has changed nothing and is 503. */
export async function durableWrite({ res }: Call, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof ChangeNotDurableError)) throw error;
    replyEmpty(res, 503);
  }
}
