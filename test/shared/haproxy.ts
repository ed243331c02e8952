/** HAProxy before consoles that share a database, or before separate proxies: in turn, whoever asks. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '../helpers/store.ts';
import { answers, startProgram } from '../peers/support/program.ts';

const program = '/usr/sbin/haproxy';

/** Behind the name of what is skipped; undefined when it is there. */
export const whyNoHaproxy = existsSync(program) ? undefined : ' (skipped: apt-get install haproxy)';

export interface RoundRobin {
  readonly port: number;
  readonly url: string;
  /** Sends no more calls to this one, or some again once it has found it to be there. Resolves when it is so. */
  drain(n: number): Promise<void>;
  undrain(n: number): Promise<void>;
  stop(): Promise<void>;
}

export interface RoundRobinOptions {
  /** The path that says whether one gets calls. */
  readonly asks?: '/live' | '/ready';
  /**
   * What goes to another one: a call that found no connection, as `packaging/front/haproxy.cfg` has it; or one that nobody
   * has answered too. What that may have done once is done once all the same, since codes, refresh tokens and forms know
   * their repetitions.
   */
  readonly repeats?: 'without connection' | 'without answer';
}

/** @param ports  of those behind it, which need not be there yet */
export async function startRoundRobin(
  port: number,
  ports: readonly number[],
  { asks = '/live', repeats = 'without answer' }: RoundRobinOptions = {},
): Promise<RoundRobin> {
  const folder = await mkdtemp(join(tmpdir(), 'console-front-'));
  const file = join(folder, 'haproxy.cfg');
  const commands = join(folder, 'commands');
  const host = `localhost:${port}`;
  const servers = ports.map(
    (at, n) =>
      `  server console${n} 127.0.0.1:${at} check inter 250ms fall ${asks === '/live' ? 1 : 3} rise 1`,
  );
  await writeFile(
    file,
    `global
  maxconn 500
  stats socket ${commands} mode 600 level admin
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 3s
  timeout http-keep-alive 60s
  retries 4
  option redispatch 1
  retry-on conn-failure${repeats === 'without answer' ? ' empty-response' : ''}
frontend all
  bind 127.0.0.1:${port}
  monitor-uri /front
  http-request set-header X-Forwarded-For %[src]
  default_backend consoles
backend consoles
  balance roundrobin
  option http-server-close
  option httpchk
  http-check send meth GET uri ${asks} hdr Host ${host}
  http-check expect status 200
${servers.join('\n')}
`,
  );
  const { status, stderr } = spawnSync(program, ['-c', '-f', file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`HAProxy finds fault with its configuration: ${stderr}`);
  const isUp = () => answers(`http://127.0.0.1:${port}/front`);
  const running = await startProgram(program, ['-db', '-f', file], {}, isUp);
  return {
    port,
    url: `http://${host}`,
    async drain(n) {
      await command(commands, `set server consoles/console${n} state drain`);
    },
    async undrain(n) {
      await command(commands, `set server consoles/console${n} state ready`);
      const isUp = new RegExp(`^consoles,console${n},.*,UP,`, 'm');
      await until(
        async () => isUp.test(await command(commands, 'show stat')),
        'a console that is up',
        30_000,
      );
    },
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @returns what it says to that: nothing to what it does */
async function command(path: string, line: string): Promise<string> {
  const socket = connect(path);
  socket.end(`${line}\n`);
  const answer = await text(socket);
  if (line.startsWith('set') && answer.trim() !== '') throw new Error(`${line}: ${answer}`);
  return answer;
}
