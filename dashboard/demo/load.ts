/** Machines that work with the cluster as long as the demo runs, and one that may not. */
import { type Call, createCalls, type Machine } from './calls.ts';

export interface LoadOptions {
  readonly consoleUrl: string;
  readonly machines: Machines;
  readonly signal: AbortSignal;
}

export interface Machines {
  /** Writes map `orders`, and fills and drains queue `jobs` in waves, whose length is in map `stock`, too. */
  readonly importer: Machine;
  /** Reads map `orders`, and offers to queue `mails`, from which nobody takes. */
  readonly billing: Machine;
  /** Asks for map `orders`, and is refused. */
  readonly reporter: Machine;
}

const stepMs = 500;
/** One wave of filling and draining. */
const waveMs = 60_000;
/** The length of `jobs` at the top of a wave. */
const crest = 40;
/** Items after which `mails` grows no more. */
const mostMails = 500;
/** Keys of map `orders` that are written in turn. */
const orders = 50;
/** One of so many steps is a refused call. */
const deniedEvery = 5;

/** Goes on until the signal; a failed call is left out and the next one tried. */
export function startLoad({ consoleUrl, machines, signal }: LoadOptions): void {
  const callsOf = (machine: Machine) => createCalls(consoleUrl, machine, signal);
  const steps = [
    importing(callsOf(machines.importer), signal),
    billing(callsOf(machines.billing)),
    reporting(callsOf(machines.reporter)),
  ];
  for (const step of steps) again(step, signal);
}

function again(step: () => Promise<void>, signal: AbortSignal): void {
  let isBusy = false;
  const timer = setInterval(async () => {
    if (isBusy) return;
    isBusy = true;
    await step().catch(() => {}); // the console may be stopping
    isBusy = false;
  }, stepMs);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

function importing(call: Call, signal: AbortSignal): () => Promise<void> {
  let length = 0;
  return async () => {
    const time = Date.now();
    for (let each = 0; each < 3; each++) {
      const id = (Math.floor(time / stepMs) * 3 + each) % orders;
      const order = JSON.stringify({ id, at: new Date(time).toISOString(), total: 10 + id });
      await done(await call('POST', `/svc/rest/maps/orders/order-${id}`, jsonOf(order)));
    }
    const wanted = Math.round((crest / 2) * (1 - Math.cos((2 * Math.PI * time) / waveMs)));
    await done(
      await call('POST', '/svc/rest/maps/stock/a1', { body: String(2 * wanted + 10), type: 'text/plain' }),
    );
    while (length < wanted && !signal.aborted) {
      await done(await call('POST', '/svc/rest/queues/jobs', { body: `job ${time}` }));
      length++;
    }
    while (length > wanted && !signal.aborted) {
      await done(await call('DELETE', '/svc/rest/queues/jobs/0'));
      length--;
    }
  };
}

function billing(call: Call): () => Promise<void> {
  let count = 0;
  return async () => {
    await done(await call('GET', `/svc/rest/maps/orders/order-${count % orders}`));
    if (count++ < mostMails)
      await done(await call('POST', '/svc/rest/queues/mails', { body: `mail ${count}` }));
  };
}

function reporting(call: Call): () => Promise<void> {
  let count = 0;
  return async () => {
    const isDenied = count++ % deniedEvery === 0;
    const answer = await call('GET', isDenied ? '/svc/rest/maps/orders/order-7' : '/svc/health/node-state');
    await answer.arrayBuffer();
  };
}

const jsonOf = (body: string) => ({ body, type: 'application/json' });

async function done(answer: Response): Promise<void> {
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
}
