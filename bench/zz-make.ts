import { makeAudit } from './audit/audit-store.ts';
import { makeGrowthStore } from './growth/growth-store.ts';

const dir = '/var/tmp/bench-stores/pages-1000000';
console.time('g');
await makeGrowthStore(dir, { users: 10_000, clients: 1_000, sessions: 100_000 });
console.timeEnd('g');
console.time('a');
await makeAudit(dir, 1_000_000);
console.timeEnd('a');
