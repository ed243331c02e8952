/** What one store pays for its size, without a console around it: 10 against 1,000,000 users, clients and sessions. */
import { execFileSync } from 'node:child_process';
import { createDataDirs } from './console.ts';
import type { Benchmark } from './harness.ts';

const sizes = [10, Number(process.env.BENCH_RECORDS ?? 1_000_000)];

export const benchmark: Benchmark = {
  name: 'store',
  async run({ nodeBinary }) {
    using dataDirs = createDataDirs();
    const run = (task: 'fill' | 'measure', size: number) => {
      const args = [
        '--import',
        'tsx',
        'bench/store/process.ts',
        task,
        dataDirs.path(`store-${size}`),
        `${size}`,
      ];
      return execFileSync(nodeBinary, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    };
    const figures = sizes.map((size) => {
      run('fill', size);
      return JSON.parse(run('measure', size)) as Record<string, number>;
    });
    return {
      title: 'The embedded store',
      columns: ['figure', ...sizes.map(String)],
      rows: Object.keys(figures[0]!).map((name) => [name, ...figures.map((each) => each[name]!.toFixed(3))]),
      ratios: [],
      notes: [
        'Opening counts the start of what loads the store. A session put writes to five places of two indexes.',
      ],
    };
  },
};
