/** A machine that works with the cluster: map entries, and a queue that fills and drains in waves. */

export interface LoadOptions {
  readonly consoleUrl: string;
  readonly clientSecret: string;
  readonly queue: string;
  readonly signal: AbortSignal;
}

const stepMs = 500;
/** One wave of filling and draining. */
const waveMs = 60_000;
/** The queue's length at the top of a wave. */
const crest = 40;
/** A token is asked for anew this long before it ends. */
const marginMs = 30_000;

/** Goes on until the signal; a failed call is left out and the next one tried. */
export function startLoad({ consoleUrl, clientSecret, queue, signal }: LoadOptions): void {
  const token = createTokenSource(consoleUrl, clientSecret, signal);
  let length = 0;
  let isBusy = false;

  const timer = setInterval(async () => {
    if (isBusy) return;
    isBusy = true;
    await step().catch(() => {}); // the console may be stopping
    isBusy = false;
  }, stepMs);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });

  async function step(): Promise<void> {
    const time = Date.now();
    await call('POST', `/svc/rest/maps/readings/sensor-${time % 10}`, JSON.stringify({ time }));
    const wanted = Math.round((crest / 2) * (1 - Math.cos((2 * Math.PI * time) / waveMs)));
    while (length < wanted && !signal.aborted) {
      await call('POST', `/svc/rest/queues/${queue}`, `job ${time}`);
      length++;
    }
    while (length > wanted && !signal.aborted) {
      await call('DELETE', `/svc/rest/queues/${queue}/0`);
      length--;
    }
  }

  async function call(method: string, path: string, body?: string): Promise<void> {
    const response = await fetch(consoleUrl + path, {
      method,
      headers: { Authorization: `Bearer ${await token()}`, 'Content-Type': 'text/plain' },
      signal,
      ...(body === undefined ? {} : { body }),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  }
}

/** Client credentials (docs/surface.md#machine-tokens); one token as long as it is good. */
function createTokenSource(
  consoleUrl: string,
  clientSecret: string,
  signal: AbortSignal,
): () => Promise<string> {
  let current = { token: '', until: 0 };
  return async () => {
    if (current.until > Date.now()) return current.token;
    const response = await fetch(`${consoleUrl}/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
      signal,
    });
    if (!response.ok) throw new Error(`no token: ${response.status}`);
    const answer = (await response.json()) as { access_token: string; expires_in: number };
    current = { token: answer.access_token, until: Date.now() + answer.expires_in * 1000 - marginMs };
    return current.token;
  };
}
