/** How long `npx console import users` takes, and how much memory the tool and a serving console need meanwhile. `IMPORT_USERS`: how many. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDataDirs, startConsole } from './console.ts';
import type { Benchmark } from './harness.ts';
import { createServers } from './servers.ts';
import { spread } from './statistics.ts';

const users = Number(process.env.IMPORT_USERS) || 100_000;
const hash = '$2b$10$87eU7.IojqFKYnELryoQJO2pgvzpaxH3fljjPRLLp2dH/8vW1x0gu';
const credentials = {
  CONSOLE_ADMIN_USERNAME: 'bench',
  CONSOLE_ADMIN_PASSWORD: 'only for this benchmark 7391',
};
const sampleEveryMs = 250;
const mostMinutes = 60;

interface Run {
  readonly seconds: number;
  /** The most anonymous memory, in MB. */
  readonly tool: number;
  readonly console: number;
}

export const benchmark: Benchmark = {
  name: 'import',
  async run({ nodeBinary }) {
    using dataDirs = createDataDirs();
    await using servers = createServers({ nodeBinary });
    const [serving, alone] = [dataDirs.path('import-serving'), dataDirs.path('import-alone')];
    const server = await startConsole(servers, { name: 'console', dataDir: serving, env: credentials });
    const other = await startConsole(servers, { name: 'other', dataDir: alone, env: credentials });
    await other.stop();
    const file = join(alone, 'people.csv');
    await writePeople(file);
    const without = await importUsers(nodeBinary, alone, file);
    const within = await importUsers(nodeBinary, serving, file, server.pid);
    const seconds = (run: Run) => spread([run.seconds]);
    return {
      title: `Import of ${users.toLocaleString('en-US')} users`,
      columns: ['where', 'seconds', 'users/s', 'tool: RssAnon MB', 'console: RssAnon MB'],
      rows: [row('no console runs', without), row('a console serves', within)],
      ratios: [
        {
          name: 'import without a console',
          spread: seconds(without),
          unit: ' s',
          atMost: (users / 1e6) * 300,
        },
        {
          name: 'memory of the tool',
          spread: spread([Math.max(without.tool, within.tool)]),
          unit: ' MB',
          atMost: 200,
        },
      ],
    };
  },
};

async function writePeople(file: string): Promise<void> {
  const stream = createWriteStream(file);
  stream.write('username,email,name,roles,passwordHash\n');
  for (let n = 0; n < users; n++) {
    const line = `person${n},person${n}@example.org,Person ${n},Viewer,${hash}\n`;
    if (!stream.write(line)) await once(stream, 'drain');
  }
  await once(stream.end(), 'close');
}

async function importUsers(nodeBinary: string, dataDir: string, file: string, server?: number): Promise<Run> {
  const start = performance.now();
  const child = spawn(nodeBinary, ['bin/console.js', 'import', 'users', file, '--data-dir', dataDir], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let [tool, console] = [0, 0];
  const sampling = setInterval(() => {
    tool = Math.max(tool, anonymousMb(child.pid));
    console = Math.max(console, anonymousMb(server));
  }, sampleEveryMs);
  const patience = setTimeout(() => child.kill(), mostMinutes * 60_000);
  const [code] = await once(child, 'close');
  clearInterval(sampling);
  clearTimeout(patience);
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  return { seconds: (performance.now() - start) / 1000, tool, console };
}

/** Without pages of mapped files, which the system takes back as it likes. */
function anonymousMb(pid: number | undefined): number {
  if (pid === undefined) return 0;
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0; // it has ended
  }
}

function row(where: string, { seconds, tool, console }: Run): string[] {
  const rate = Math.round(users / seconds).toLocaleString('en-US');
  return [where, seconds.toFixed(1), rate, tool.toFixed(0), console === 0 ? '–' : console.toFixed(0)];
}
