/** What the demo's member is told: everything is on, the disk keeps the data, and a publisher cannot reach its target. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * @param ports  of the addresses by which it is known
 * @returns where the file is
 */
export async function writeMemberConfig(folder: string, ports: readonly number[]): Promise<string> {
  const groups = ['CLUSTER_WRITE', 'PERSISTENCE', 'WAN', 'DATA', 'CP'].map((name) => [
    name,
    { enabled: true },
  ]);
  const svc = {
    network: {
      join: { 'tcp-ip': { enabled: true, 'member-list': ports.map((port) => `127.0.0.1:${port}`) } },
      'rest-api': { enabled: true, 'endpoint-groups': Object.fromEntries(groups) },
    },
    'cp-subsystem': { 'cp-member-count': 1 },
    persistence: { enabled: true, 'base-dir': join(folder, 'member'), durability: 'periodic' },
    map: { default: {}, orders: { 'wan-replication-ref': { atlantic: {} } } },
    'wan-replication': { atlantic: { 'batch-publisher': { london: { 'target-endpoints': '127.0.0.1:1' } } } },
  };
  const file = join(folder, 'member.json');
  await writeFile(file, JSON.stringify({ svc }, undefined, 2)); // JSON is YAML
  return file;
}
