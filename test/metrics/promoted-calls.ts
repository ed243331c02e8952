/** Run by itself with `--expose-gc`: prints how many bytes of each call recent calls have V8 move to its old space. */
import { setImmediate as turn } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { createRecentCalls } from '../../console/metrics/recent-calls.ts';

const collect = (globalThis as unknown as { gc(options?: { type: 'minor' }): void }).gc;
const calls = createRecentCalls(Date.now);
let made = 0;

function record(): void {
  made++;
  calls.record({
    method: 'GET',
    path: `/svc/rest/maps/orders/${made}`,
    route: '/svc/rest/maps/{map}/{key}',
    status: 200,
    clientId: 'billing',
    member: 'http://127.0.0.1:5701',
    durationMs: 1.5,
    requestId: `request-${made}`,
    decisionId: undefined,
    structureAction: undefined,
    valueBytes: 10,
  });
}

const oldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!.space_used_size;

// In a slow minute all calls since the last collection are among the last that are listed: V8 sees them survive.
for (let slow = 0; slow < 400; slow++) {
  for (let i = 0; i < 150; i++) record();
  collect({ type: 'minor' });
  await turn();
}
// Then they are many, until the code that makes them is compiled.
for (let i = 0; i < 400; i++) {
  for (let k = 0; k < 1_000; k++) record();
  await turn();
}
collect();
const before = oldBytes();
const measured = 20;
for (let i = 0; i < measured; i++) {
  for (let k = 0; k < 1_000; k++) record();
  collect({ type: 'minor' });
}
process.stdout.write(String((oldBytes() - before) / (measured * 1_000)));
