import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

/** Files that change their process for good, or need one that has done nothing before. */
const alone = ['test/member/packed-entries.test.ts', 'test/member/persistence*.test.ts'];
const jsx = { oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } } } as const;

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 90_000,
    // What is waited for comes; the library's own second is too short where others are busy.
    expect: { poll: { timeout: 20_000 } },
    // Tests wait for processes more than they compute: two files a core keep both busy.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    reporters: ['default'],
    globalSetup: 'test/once/set-up.ts',
    projects: [
      { ...jsx, extends: true, test: { name: 'alone', include: alone } },
      // One process for many files: its start, and the modules that all of them import, cost more than most tests.
      {
        ...jsx,
        extends: true,
        test: { name: 'together', isolate: false, include: ['test/**/*.test.{ts,tsx}'], exclude: alone },
      },
    ],
  },
});
