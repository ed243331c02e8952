/** A console that is elsewhere, asked with a token from a file or from `login`. */
import type { Input } from '../runner/command.ts';
import { createSecretInput } from '../runner/secret-input.ts';
import type { Shell } from '../runner/shell.ts';
import type { ApiCaller } from './api-caller.ts';

/** @throws {CommandError} when the address is none */
export async function callerAt(address: string, input: Input, shell: Shell): Promise<ApiCaller> {
  const { consoleAddress, createHttpCaller } = await import('./http-caller.ts');
  const url = consoleAddress(address);
  const file = input.text('token-file');
  if (file !== undefined) {
    const given = await createSecretInput(shell)(file);
    return createHttpCaller({ url, token: async (refused) => (refused ? undefined : given), fetch });
  }
  const [{ freshToken }, { createStoredLogins, loginsFile }] = await Promise.all([
    import('../login/device-login.ts'),
    import('../login/stored-logins.ts'),
  ]);
  const logins = createStoredLogins(loginsFile(shell.env));
  const token = (refused?: string) => freshToken({ url, fetch, now: Date.now }, logins, refused);
  return createHttpCaller({ url, token, fetch });
}
