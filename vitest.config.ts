import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 60_000,
    hookTimeout: 90_000,
    // Tests start real processes; more files at once than cores only makes timings worse.
    maxWorkers: 2,
    reporters: ['default'],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
