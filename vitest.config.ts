import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 60_000,
    hookTimeout: 90_000,
    // Tests wait for processes more than they compute: two files a core keep both busy.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    reporters: ['default'],
    globalSetup: 'test/once/set-up.ts',
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
