/** A member with every endpoint group, a CP subsystem and a WAN replication to nobody. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const groups = ['CLUSTER_WRITE', 'PERSISTENCE', 'WAN', 'DATA', 'CP'];

/** @returns the file, for `MEMBER_CONFIG` */
export function writeMemberConfig(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'member-config-')), 'member.yaml');
  const text = `svc:
  network:
    rest-api:
      enabled: true
      endpoint-groups: { ${groups.map((group) => `${group}: { enabled: true }`).join(', ')} }
  cp-subsystem: { cp-member-count: 1 }
  map:
    default:
      wan-replication-ref: { atlantic: {} }
  wan-replication:
    atlantic:
      batch-publisher:
        london: { target-endpoints: "127.0.0.1:1" }
`;
  writeFileSync(file, text);
  return file;
}
