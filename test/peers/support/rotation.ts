/** Keys that are replaced at once, as after a theft. */
import { decodeProtectedHeader } from 'jose';
import { toolDone } from '../../helpers/commands.ts';
import type { RunningConsole } from '../../helpers/console.ts';
import { until } from '../../helpers/store.ts';

/** @returns a token that is signed with a new key */
export async function rotateKeys(
  { dataDir, url }: Pick<RunningConsole, 'dataDir' | 'url'>,
  askToken: () => Promise<string>,
): Promise<string> {
  const keyOf = (token: string) => decodeProtectedHeader(token).kid;
  let token = await askToken();
  const before = keyOf(token);
  await toolDone(['keys', 'rotate', '--now', '--yes'], { dataDir, env: { CONSOLE_URL: url } });
  const isNew = async () => {
    token = await askToken();
    return keyOf(token) !== before;
  };
  await until(isNew, 'the new keys', 20_000);
  return token;
}
