import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openStorage } from '../../console/storage/embedded/open.ts';
import { describeStorage } from './conformance.ts';

const root = mkdtempSync(join(tmpdir(), 'console-storage-'));
let directories = 0;
afterAll(() => rmSync(root, { recursive: true, force: true }));

describeStorage('lowdb and LMDB', (now) =>
  openStorage({ dataDir: join(root, String(directories++)), role: 'console', now }),
);
