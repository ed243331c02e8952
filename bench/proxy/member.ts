/** The embedded member as a process of its own, with everything on that the benchmarks use. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerProcess, Servers } from '../servers.ts';

export const valuePath = '/svc/rest/maps/bench/key';

const groups = 'endpoint-groups:\n        DATA:\n          enabled: true\n';
const configuration = `hazelcast:\n  network:\n    rest-api:\n      enabled: true\n      ${groups}`;

/** @param value  what is stored at {@link valuePath} */
export async function startMember(servers: Servers, value: string): Promise<ServerProcess> {
  const dir = mkdtempSync(join(tmpdir(), 'proxy-bench-'));
  const file = join(dir, 'member.yaml');
  writeFileSync(file, configuration);
  try {
    const member = await servers.start({
      name: 'member, directly',
      args: ['dist/member/main.js'],
      env: { MEMBER_CONFIG: file, MEMBER_PORT: '0' },
      ready: /ready at (http:\/\/[\d.]+:\d+)/,
    });
    const reply = await fetch(member.url + valuePath, { method: 'POST', body: value });
    if (!reply.ok) throw new Error(`the member does not take the value: ${reply.status}`);
    return member;
  } finally {
    rmSync(dir, { recursive: true });
  }
}
