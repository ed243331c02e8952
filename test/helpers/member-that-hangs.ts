/** A member as a process of its own, which can be made to hang: connections stand, new ones are accepted, nothing is answered. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { waitFor } from './console.ts';

export interface HangingMember {
  /** Base address. */
  readonly url: string;
  /** `host:port`, as pages name it. */
  readonly name: string;
  /** From now on the kernel alone takes what comes (SIGSTOP). */
  hang(): void;
  /** It answers again, what has come meanwhile too. */
  wake(): void;
  close(): Promise<void>;
}

const script = resolve(import.meta.dirname, '../../dist/member/main.js');

/** @param config  file for `MEMBER_CONFIG`. @throws {Error} unless it listens within a minute */
export async function startMemberThatHangs(config: string): Promise<HangingMember> {
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH, MEMBER_PORT: '0', MEMBER_CONFIG: config },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'close');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const close = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  try {
    const url = await waitFor(() => /http:\/\/[\d.]+:\d+/.exec(output)?.[0], 'a member that listens', 60_000);
    return {
      ...{ url, name: new URL(url).host, close },
      hang: () => void child.kill('SIGSTOP'),
      wake: () => void child.kill('SIGCONT'),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
