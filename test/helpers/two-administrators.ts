/** A console where some changes wait for a second administrator: both were there before that was asked for. */
import { rm } from 'node:fs/promises';
import { type RunningConsole, startConsole, usedDataDir } from './console.ts';
import { callApi, personPassword, personWith } from './management.ts';
import { createUserAgent, type UserAgent } from './user-agent.ts';

export interface TwoAdministrators {
  readonly console: RunningConsole;
  readonly ada: UserAgent;
  readonly bob: UserAgent;
  close(): Promise<void>;
}

/**
 * @param env      with CONSOLE_APPROVALS_REQUIRE
 * @param prepare  makes what programs may not make any more then, such as people
 */
export async function startWithTwoAdministrators(
  env: Readonly<Record<string, string>>,
  prepare: (console: RunningConsole) => Promise<void> = async () => {},
): Promise<TwoAdministrators> {
  const dataDir = await usedDataDir();
  const before = await startConsole({ dataDir });
  await personWith(before, 'bob', ['Admin']);
  await prepare(before);
  await before.stop();
  const console = await startConsole({ dataDir, env });
  const ada = createUserAgent(console.url);
  await ada.signIn();
  const bob = await signInAs(console, 'bob');
  return {
    console,
    ada,
    bob,
    async close() {
      await console.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

let browsers = 0;

/** In another browser, which says that it is another one. @param id  of who was made by `personWith` */
export async function signInAs(console: Pick<RunningConsole, 'url'>, id: string): Promise<UserAgent> {
  const agent = createUserAgent(console.url, { headers: { 'user-agent': `browser ${browsers++}` } });
  await agent.signIn({ username: id, password: personPassword });
  return agent;
}

/** The same. @returns the id of the new session */
export async function newSessionOf(console: Pick<RunningConsole, 'url'>, id: string): Promise<string> {
  const list = async () => {
    const { items } = (await callApi(console, 'GET', `/sessions?user=${id}`)) as { items: { id: string }[] };
    return items.map((session) => session.id);
  };
  const before = await list();
  await signInAs(console, id);
  return (await list()).find((session) => !before.includes(session))!;
}
