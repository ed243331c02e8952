// Preloaded into a process: on SIGUSR2 writes the longest time that its event loop was held up, in milliseconds,
// since the last SIGUSR2, to the file that LOOP_DELAY_FILE names. Time that its thread waited for a processor, which
// others had, does not count (proc_pid_schedstat: time on a processor, time waiting for one, both in nanoseconds).
import { readFileSync, writeFileSync } from 'node:fs';

const stepMs = 5;
let longest = 0;
let last = now();
setInterval(() => {
  const { at, waited } = now();
  longest = Math.max(longest, at - last.at - stepMs - (waited - last.waited));
  last = { at, waited };
}, stepMs).unref();
process.on('SIGUSR2', () => {
  writeFileSync(process.env.LOOP_DELAY_FILE, `${longest}`);
  longest = 0;
});

function now() {
  const [, waited] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return { at: performance.now(), waited: Number(waited) / 1e6 };
}
