/** Signing in at a console that is elsewhere, and out; and who that is. */

import { consoleAddress, unreachable } from '../operations/http-caller.ts';
import { type Command, CommandError, flags, type Input, type Tools } from '../runner/command.ts';
import { fields } from '../runner/output.ts';
import { claimsOf, freshToken, type OAuthDeps, revoke, signInByCode } from './device-login.ts';
import { createStoredLogins, loginsFile } from './stored-logins.ts';

const urlFlag = flags({ '--url U': 'the address of the console, such as https://console.example.com' });

export const loginCommands: readonly Command[] = [
  {
    name: 'login',
    isLocal: true,
    summary: 'Signs you in at a console that is elsewhere, by a code that you type into your browser.',
    flags: urlFlag,
    details: [
      'Other commands with the same --url use what it got until you sign out, or your session at the console ends.\n' +
        'It is stored in cluster-console/logins.json of your configuration directory, which nobody else may read.',
    ],
    async run(input, tools) {
      const deps = depsOf(input, tools);
      const login = await signInByCode(deps, tools.say ?? (() => {}));
      await storedLogins().store(deps.url, login);
      const { username } = login;
      return { text: `Signed in at ${deps.url} as ${username}.`, json: { url: deps.url, username } };
    },
  },
  {
    name: 'logout',
    isLocal: true,
    summary: 'Signs you out at a console that is elsewhere, and forgets its tokens.',
    flags: urlFlag,
    async run(input, tools) {
      const deps = depsOf(input, tools);
      const login = await storedLogins().find(deps.url);
      if (!login)
        return { text: `Nobody is signed in at ${deps.url}.`, json: { url: deps.url, signedOut: false } };
      // Gone here first: whatever the console says, this machine has it no more.
      await storedLogins().store(deps.url, undefined);
      await revoke(deps, login);
      return { text: `Signed out at ${deps.url}.`, json: { url: deps.url, signedOut: true } };
    },
  },
  {
    name: 'whoami',
    isLocal: true,
    summary: 'Tells who you are to which console, and by which way commands reach it.',
    flags: flags({
      '[--url U]': 'the console at this address, instead of the one that runs here',
      '[--token-file F]': 'with --url: an access token for it; - is standard input',
    }),
    run: (input, tools) => (input.has('url') ? elsewhere(input, tools) : here(tools)),
  },
];

async function here({ whereabouts }: Tools) {
  if (!whereabouts) throw new CommandError('failed', 'whoami is for the process of the caller.');
  const { way, user, dataDir, url, version, pid } = await whereabouts();
  const ways = { socket: `the socket of the console (process ${pid})`, store: 'the store: no console runs' };
  return {
    text: fields({
      user,
      console: url ?? undefined,
      version: version ?? undefined,
      by: ways[way],
      store: dataDir,
    }),
    json: { user, url, way, version, dataDir },
  };
}

async function elsewhere(input: Input, tools: Tools) {
  const deps = depsOf(input, tools);
  const file = input.text('token-file');
  const token = file === undefined ? await freshToken(deps, storedLogins()) : await tools.readSecret(file);
  if (token === undefined) {
    const message = `Nobody is signed in at ${deps.url} here: npx console login --url ${deps.url}`;
    throw new CommandError('signed_out', message);
  }
  const said = await userinfo(deps, token);
  const { sub, preferred_username: name = sub, roles = [] } = said as Record<string, unknown>;
  const user = String(name ?? '');
  const list = Array.isArray(roles) ? roles.map(String) : [];
  return {
    text: fields({ user, roles: list.join(', ') || 'none', console: deps.url, by: 'HTTPS' }),
    json: { user, roles: list, url: deps.url, way: 'https' },
  };
}

/** What the console says of the token; of a machine, which is no user there, what its token says once it is taken. */
async function userinfo(deps: OAuthDeps, token: string): Promise<object> {
  const headers = { Authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(15_000);
  const response = await deps
    .fetch(`${deps.url}/userinfo`, { headers, signal, redirect: 'error' })
    .catch((cause) => {
      throw unreachable(deps.url, cause);
    });
  const body = (await response.json().catch(() => ({}))) as object;
  if (response.ok) return body;
  const { sub, client_id: client } = claimsOf(token);
  if (response.status === 403 && sub !== undefined && sub === client) return claimsOf(token);
  throw new CommandError(
    'signed_out',
    `The console at ${deps.url} does not take the token: npx console login --url ${deps.url}`,
  );
}

function depsOf(input: Input, { fetch, now }: Tools): OAuthDeps {
  return { url: consoleAddress(input.text('url')!), fetch, now };
}

function storedLogins() {
  return createStoredLogins(loginsFile(process.env));
}
