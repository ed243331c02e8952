/** A network of its own for the database: each console has a link to it, which can be cut as a cable is. */
import { spawnSync } from 'node:child_process';
import type { PostgresNetwork } from '../helpers/postgres.ts';

export interface DatabaseNetwork {
  readonly network: PostgresNetwork;
  /** Where a console reaches the database by its own link. */
  hostOf(n: number): string;
  /** Nothing arrives any more, and neither end is told. */
  cut(n: number): void;
  mend(n: number): void;
  close(): void;
}

/** Links of this process, too; the last one is never cut. */
const mostConsoles = 8;
/** For measurements of networks (RFC 2544, appendix C.2.2): no machine has them. */
const prefix = '198.18';

/** Behind the name of what is skipped; undefined: they can be made. */
export const whyNoNetworks: string | undefined = whyNot();

function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return ' (skipped: network namespaces need root)';
  if (spawnSync('ip', ['-V']).status !== 0) return ' (skipped: apt-get install iproute2)';
  const name = `probe-${process.pid}`;
  const made = spawnSync('ip', ['netns', 'add', name], { encoding: 'utf8' });
  if (made.status !== 0) return ` (skipped: no network namespaces here: ${made.stderr.trim()})`;
  const ends = ['type', 'veth', 'peer', 'name', `q${process.pid}`];
  const link = spawnSync('ip', ['link', 'add', `p${process.pid}`, ...ends, 'netns', name], {
    encoding: 'utf8',
  });
  // The link goes with it.
  spawnSync('ip', ['netns', 'del', name]);
  return link.status === 0 ? undefined : ` (skipped: no links can be made here: ${link.stderr.trim()})`;
}

/** @throws {Error} when a link cannot be made */
export function makeDatabaseNetwork(): DatabaseNetwork {
  const name = `database-${process.pid}`;
  const hostOf = (n: number) => `${prefix}.${n}.2`;
  const inside = (...args: string[]) => ip('-n', name, ...args);
  ip('netns', 'add', name);
  try {
    inside('link', 'set', 'lo', 'up');
    for (let n = 0; n <= mostConsoles; n++) {
      const [here, there] = [`c${process.pid}-${n}`, `d${process.pid}-${n}`];
      ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', name);
      ip('address', 'add', `${prefix}.${n}.1/24`, 'dev', here);
      inside('address', 'add', `${hostOf(n)}/24`, 'dev', there);
      ip('link', 'set', here, 'up');
      inside('link', 'set', there, 'up');
    }
  } catch (error) {
    close();
    throw error;
  }
  return {
    network: { name, host: hostOf(mostConsoles), from: `${prefix}.0.0/16` },
    hostOf,
    cut: (n) => inside('link', 'set', `d${process.pid}-${n}`, 'down'),
    mend: (n) => inside('link', 'set', `d${process.pid}-${n}`, 'up'),
    close,
  };

  /** Its links go with it. */
  function close(): void {
    ip('netns', 'del', name);
  }
}

function ip(...args: string[]): void {
  const { status, stderr } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
}
