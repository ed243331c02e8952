/** Writers, readers, offerers and pollers that go on through the console while members come and go. */
import { ask, type WireAnswer } from '../../helpers/wire.ts';

export interface RollingLoad {
  /** Calls that have ended so far. */
  calls(): number;
  /** Ends it, and takes what is left in the queue. */
  stop(): Promise<RollingOutcome>;
}

export interface RollingOutcome {
  readonly calls: number;
  /** What was asked, and what came instead of an answer that fits. */
  readonly failed: readonly string[];
  readonly offered: number;
  /** Each with the time at which it was offered. */
  readonly lost: readonly string[];
  readonly twice: readonly string[];
}

const rest = '/svc/rest';
const each = 4;

/** @param pollSeconds  how long a poll may wait; some by GET and some by DELETE */
export function startRollingLoad(origin: string, token: string, pollSeconds: number): RollingLoad {
  const headers = { Authorization: `Bearer ${token}` };
  const offered = new Map<string, string>();
  const taken: string[] = [];
  const failed: string[] = [];
  let calls = 0;
  let isOver = false;
  let next = 0;

  const running = Promise.all(
    Array.from({ length: each }, (_, i) => i).flatMap((i) => [
      go((turn) => write(`load-${(turn * each + i) % 40}`)),
      go((turn) => call('GET', `${rest}/maps/rolling/load-${(turn + i) % 40}`)),
      go(offer, 20),
      go(() => poll(i % 2 === 0 ? 'DELETE' : 'GET', pollSeconds)),
    ]),
  );
  return {
    calls: () => calls,
    async stop() {
      isOver = true;
      await running;
      while ((await poll('GET', 0)) === 200);
      const taking = new Set(taken);
      return {
        calls,
        failed,
        offered: offered.size,
        lost: [...offered].filter(([item]) => !taking.has(item)).map(([item, at]) => `${at} ${item}`),
        twice: taken.filter((item, at) => taken.indexOf(item) !== at),
      };
    },
  };

  /** Steady, not as fast as can be: members, console and test share the machine. */
  async function go(work: (turn: number) => Promise<unknown>, pauseMs = 5): Promise<void> {
    for (let turn = 0; !isOver; turn += 1) {
      await work(turn);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  async function call(method: string, path: string, body?: string): Promise<WireAnswer> {
    const at = performance.now();
    const answer = await ask(origin, method, path, { headers, ...(body !== undefined && { body }) }).catch(
      (error: Error) => ({ status: 0, body: error.message, headers: {} }) as WireAnswer,
    );
    calls += 1;
    if (answer.status !== 200 && answer.status !== 204) {
      const took = (performance.now() - at).toFixed(0);
      failed.push(`${new Date().toISOString()} ${method} ${path} ${took} ms ${answer.status} ${answer.body}`);
    }
    return answer;
  }

  async function write(key: string): Promise<void> {
    await call('POST', `${rest}/maps/rolling/${key}`, `value of ${key}`);
  }

  /** One that failed may have been taken all the same, and is no item that could be missed. */
  async function offer(): Promise<void> {
    next += 1;
    const item = `item-${next}`;
    const { status } = await call('POST', `${rest}/queues/rolling`, item);
    if (status === 200) offered.set(item, new Date().toISOString());
  }

  async function poll(method: string, seconds: number): Promise<number> {
    const { status, body } = await call(method, `${rest}/queues/rolling/${seconds}`);
    if (status === 200) taken.push(body);
    return status;
  }
}
