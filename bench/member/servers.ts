import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerProcess, Servers } from '../servers.ts';

/** Directories of the members of one run, on the disk of the system's temporary files. */
export function createMemberDir(): { readonly path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'member-bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export interface BenchMember {
  readonly name: string;
  /** Left out: everything is in memory. */
  readonly durability?: 'sync' | 'periodic';
  /** Another checkout's root instead of this one's. */
  readonly checkout?: string | undefined;
}

export async function startMember(
  servers: Servers,
  dir: string,
  { name, durability, checkout }: BenchMember,
): Promise<ServerProcess> {
  const file = join(dir, `${name.replaceAll(/\W+/g, '-')}.yaml`);
  const persistence =
    durability === undefined
      ? '{ enabled: false }'
      : `{ enabled: true, base-dir: ${file}.data, durability: ${durability} }`;
  writeFileSync(
    file,
    `svc:
  network: { rest-api: { enabled: true, endpoint-groups: { DATA: { enabled: true } } } }
  persistence: ${persistence}
  limits: { waiters: 20000, waiters-per-queue: 20000 }
`,
  );
  return servers.start({
    name,
    args: ['dist/member/main.js'],
    checkout,
    env: { MEMBER_CONFIG: file, MEMBER_PORT: '0' },
    ready: /ready at (http:\/\/[\d.]+:\d+)/,
  });
}
