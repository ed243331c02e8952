import '../../../platform/no-prototype-access.ts';
import type { ConfigTask } from './config-work.ts';
import { carryOut } from './config-work.ts';

// Without the member nobody waits for the answer.
process.once('disconnect', () => process.exit());
process.once('message', async (task) => {
  process.send?.(await carryOut(task as ConfigTask));
});
