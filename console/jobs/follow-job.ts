/** A job as server-sent events (HTML Living Standard, “Server-sent events”): as it is, each change, and nothing behind its end. */
import { isOver, type Job } from './job.ts';
import type { Jobs } from './jobs.ts';

/** A line that says nothing keeps what stands between from ending it. */
const aliveMs = 15_000;
/** Then whoever follows it asks again, with a token that still holds. */
const longestMs = 300_000;

export async function* followJob(
  job: Job,
  jobs: Pick<Jobs, 'find' | 'onChange'>,
  asText: (job: Job) => string,
): AsyncGenerator<string, void> {
  let newest: Job | undefined;
  let wake: (() => void) | undefined;
  const unsubscribe = jobs.onChange((changed) => {
    if (changed.id !== job.id) return;
    newest = changed;
    wake?.();
  });
  const until = performance.now() + longestMs;
  try {
    let reported = (await jobs.find(job.id)) ?? job;
    yield eventOf(reported);
    while (!isOver(reported) && performance.now() < until) {
      await untilWoken();
      if (newest) {
        reported = newest;
        newest = undefined;
        yield eventOf(reported);
      } else yield ': alive\n\n';
    }
  } finally {
    unsubscribe();
  }

  function eventOf(one: Job): string {
    return `event: job\ndata: ${asText(one)}\n\n`;
  }

  async function untilWoken(): Promise<void> {
    if (newest) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, aliveMs).unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    wake = undefined;
  }
}
