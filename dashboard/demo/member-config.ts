/** What the demo's member is told: everything is on, the disk keeps the data, and a publisher cannot reach its target. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @returns where the file is */
export async function writeMemberConfig(folder: string): Promise<string> {
  const groups = ['CLUSTER_WRITE', 'PERSISTENCE', 'WAN', 'DATA', 'CP'].map((name) => [
    name,
    { enabled: true },
  ]);
  const svc = {
    network: { 'rest-api': { enabled: true, 'endpoint-groups': Object.fromEntries(groups) } },
    'cp-subsystem': { 'cp-member-count': 1 },
    persistence: { enabled: true, 'base-dir': join(folder, 'member'), durability: 'periodic' },
    map: { default: {}, orders: { 'wan-replication-ref': { atlantic: {} } } },
    'wan-replication': { atlantic: { 'batch-publisher': { london: { 'target-endpoints': '127.0.0.1:1' } } } },
  };
  const file = join(folder, 'member.json');
  await writeFile(file, JSON.stringify({ svc }, undefined, 2)); // JSON is YAML
  return file;
}
