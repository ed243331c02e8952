/** Proxies in processes of their own behind a load balancer of theirs, beside consoles that share a database. */
import { freePort } from '../helpers/ports.ts';
import { type ProxyClient, type RunningProxy, startProxy } from '../proxy/support.ts';
import { startRoundRobin } from './haproxy.ts';
import type { Together } from './support.ts';

export interface SeparateProxies {
  /** Of the load balancer. */
  readonly url: string;
  /** As they run now. */
  readonly all: readonly RunningProxy[];
  /** Without calls of the load balancer: SIGTERM, and a new process in its place. @param script  the program of another version */
  exchange(n: number, script?: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param scripts  of each its program
 * @param graceSeconds  as `CONSOLE_PROXY_NEWS_GRACE`
 */
export async function startSeparateProxies(
  console: Pick<Together, 'url' | 'members'>,
  client: ProxyClient,
  scripts: readonly string[],
  graceSeconds: string,
): Promise<SeparateProxies> {
  const ports = await Promise.all(scripts.map(() => freePort()));
  const start = (n: number, script?: string) =>
    startProxy({
      console,
      client,
      members: [console.members],
      port: ports[n]!,
      env: { CONSOLE_PROXY_NEWS_GRACE: graceSeconds },
      ...(script !== undefined && { script }),
    });
  const all = await Promise.all(scripts.map((script, n) => start(n, script)));
  const front = await startRoundRobin(await freePort(), ports, {
    asks: '/ready',
    repeats: 'without connection',
  });
  return {
    url: front.url,
    all,
    async exchange(n, script) {
      await front.drain(n);
      await untilTaken(all[n]!.url);
      await all[n]!.stop();
      all[n] = await start(n, script);
      await front.undrain(n);
    },
    async stop() {
      await front.stop();
      await Promise.all(all.map((proxy) => proxy.stop()));
    },
  };
}

/** Connections of before are taken by then, since they are in their order. */
export async function untilTaken(url: string): Promise<void> {
  const answer = await fetch(`${url}/live`, { headers: { Connection: 'close' } });
  await answer.arrayBuffer();
}
