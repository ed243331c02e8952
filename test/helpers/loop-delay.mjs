// Preloaded into a process: on SIGUSR2 writes the longest time that its event loop was held up, in milliseconds,
// since the last SIGUSR2, to the file that LOOP_DELAY_FILE names.
import { writeFileSync } from 'node:fs';

const stepMs = 5;
let longest = 0;
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  longest = Math.max(longest, now - last - stepMs);
  last = now;
}, stepMs).unref();
process.on('SIGUSR2', () => {
  writeFileSync(process.env.LOOP_DELAY_FILE, `${longest}`);
  longest = 0;
});
