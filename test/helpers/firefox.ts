/** Firefox as Debian has it: started without a window, and asked by WebDriver BiDi (W3C) over its own socket, without a driver between. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'undici';

const firefoxes = ['/usr/bin/firefox-esr', '/usr/bin/firefox'];

/** Nothing goes out, nothing is offered, and what is asked of it is BiDi. */
const preferences = {
  'remote.active-protocols': 1,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.formfill.enable': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.systemAddon.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,nothing',
  'signon.rememberSignons': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
};

export interface Firefox {
  /** @throws {Error} with what the browser answers, when it is no result */
  send(method: string, parameters?: object): Promise<Readonly<Record<string, unknown>>>;
  stop(): Promise<void>;
}

/** Why there is none: the name of the skip. */
export const firefoxReason = firefoxes.some((path) => existsSync(path))
  ? undefined
  : 'no Firefox is installed here (firefox-esr)';

/** @param hasScript  whether pages may run script */
export async function startFirefox({ hasScript }: { readonly hasScript: boolean }): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-test-'));
  const lines = Object.entries({ ...preferences, 'javascript.enabled': hasScript }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  await writeFile(join(profile, 'user.js'), lines.join('\n'));
  const child = spawn(
    firefoxes.find((path) => existsSync(path))!,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const exited = new Promise<void>((done) => child.once('close', () => done()));
  const end = async () => {
    child.kill('SIGKILL');
    await exited;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const connection = await connect(`${await addressOf(child)}/session`);
    await connection.send('session.new', { capabilities: {} });
    const stop = async () => {
      await Promise.race([connection.send('browser.close').catch(() => {}), exited]);
      connection.leave();
      await end();
    };
    return { send: connection.send, stop };
  } catch (error) {
    await end();
    throw error;
  }
}

/** @throws {Error} when it ends before, or says nothing for a minute */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const fail = () => reject(new Error(`Firefox has not started: ${said.slice(-1_000)}`));
    const timer = setTimeout(fail, 60_000);
    child.once('close', fail);
    child.once('error', reject);
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const address = /WebDriver BiDi listening on (ws:\S+)/.exec(said)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
  });
}

interface Reply {
  readonly id: number | null;
  readonly type: string;
  readonly result: Readonly<Record<string, unknown>>;
  readonly error?: string;
  readonly message?: string;
}

async function connect(address: string): Promise<Pick<Firefox, 'send'> & { leave(): void }> {
  const socket = new WebSocket(address);
  const waiting = new Map<number, (reply: Reply) => void>();
  let last = 0;
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error(`no connection to ${address}`)));
  });
  socket.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply;
    waiting.get(reply.id!)?.(reply);
    waiting.delete(reply.id!);
  });
  socket.addEventListener('close', () => {
    for (const [id, answer] of waiting) answer({ id, type: 'error', result: {}, error: 'closed' });
  });
  return {
    send: (method, parameters = {}) =>
      new Promise((resolve, reject) => {
        if (socket.readyState !== WebSocket.OPEN) return reject(new Error(`${method}: the browser is gone`));
        last++;
        waiting.set(last, ({ type, result, error, message }) =>
          type === 'error' ? reject(new Error(`${method}: ${error} ${message ?? ''}`)) : resolve(result),
        );
        socket.send(JSON.stringify({ id: last, method, params: parameters }));
      }),
    leave: () => socket.close(),
  };
}
