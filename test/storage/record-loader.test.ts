/** Many new records at once, on the engines of one machine; on PostgreSQL: test/storage/postgres/conformance.test.ts. */
import { join } from 'node:path';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import { openStorage } from '../../console/storage/embedded/open.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { describeLoader } from './loader-conformance.ts';

describeLoader('memory', async () => createMemoryStorage());
describeLoader('embedded', () =>
  openStorage({ dataDir: join(temporaryDirectory(), 'data'), role: 'console' }),
);
