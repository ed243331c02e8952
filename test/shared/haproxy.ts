/** HAProxy before consoles that share a database: in turn, whoever asks. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answers, startProgram } from '../peers/support/program.ts';

const program = '/usr/sbin/haproxy';

/** Behind the name of what is skipped; undefined when it is there. */
export const whyNoHaproxy = existsSync(program) ? undefined : ' (skipped: apt-get install haproxy)';

export interface RoundRobin {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * A call that nobody has answered goes to another console: what it may have done there once is done once here too,
 * since codes, refresh tokens and forms know their repetitions.
 *
 * @param ports  of the consoles, which need not be there yet
 */
export async function startRoundRobin(port: number, ports: readonly number[]): Promise<RoundRobin> {
  const folder = await mkdtemp(join(tmpdir(), 'console-front-'));
  const file = join(folder, 'haproxy.cfg');
  const host = `localhost:${port}`;
  const servers = ports.map(
    (at, n) => `  server console${n} 127.0.0.1:${at} check inter 250ms fall 1 rise 1`,
  );
  await writeFile(
    file,
    `global
  maxconn 500
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 3s
  timeout http-keep-alive 10s
  retries 4
  option redispatch 1
  retry-on conn-failure empty-response
frontend all
  bind 127.0.0.1:${port}
  monitor-uri /front
  http-request set-header X-Forwarded-For %[src]
  default_backend consoles
backend consoles
  balance roundrobin
  option http-server-close
  option httpchk
  http-check send meth GET uri /live hdr Host ${host}
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
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
