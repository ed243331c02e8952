/** Where `console login` keeps what it got: one file of the person's own, for all consoles that are signed in at. */
import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandError } from '../runner/command.ts';

export interface StoredLogin {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly username: string;
}

export interface StoredLogins {
  /** @param url  as {@link consoleAddress} gives it. @throws {CommandError} `unsafe_file` */
  find(url: string): Promise<StoredLogin | undefined>;
  /** Undefined takes it away. @throws {CommandError} `unsafe_file` */
  store(url: string, login: StoredLogin | undefined): Promise<void>;
}

type ByUrl = Readonly<Record<string, StoredLogin>>;

/** By the XDG base directory specification. */
export function loginsFile(env: NodeJS.ProcessEnv): string {
  const base = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(homedir(), '.config');
  return join(base, 'cluster-console', 'logins.json');
}

export function createStoredLogins(file: string): StoredLogins {
  return {
    find: async (url) => (await read())[url],
    async store(url, login) {
      const { [url]: _former, ...others } = await read();
      await write(login ? { ...others, [url]: login } : others);
    },
  };

  async function read(): Promise<ByUrl> {
    try {
      const { mode } = await stat(file);
      if ((mode & 0o077) !== 0) throw unsafe(file);
      return JSON.parse(await readFile(file, 'utf8')) as ByUrl;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      if (!(error instanceof SyntaxError)) throw error;
      throw new CommandError('damaged_file', `${file} cannot be read: remove it, and sign in anew.`);
    }
  }

  /** Whole or not at all, and never readable by others on the way. */
  async function write(logins: ByUrl): Promise<void> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const next = `${file}.${process.pid}`;
    await writeFile(next, `${JSON.stringify(logins, undefined, 2)}\n`, { mode: 0o600 });
    await chmod(next, 0o600);
    await rename(next, file);
  }
}

function unsafe(file: string): CommandError {
  return new CommandError('unsafe_file', `Others may read ${file}, which holds tokens: chmod 600 ${file}`);
}
