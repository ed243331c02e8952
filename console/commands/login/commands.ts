/** Signing in at a console that is elsewhere, and out; and who that is. */

import { consoleAddress } from '../operations/http-caller.ts';
import { type Command, CommandError, flags, type Input, type Tools } from '../runner/command.ts';
import { fields } from '../runner/output.ts';
import { type OAuthDeps, revoke, signInByCode } from './device-login.ts';
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
      await storedLogins(tools).store(deps.url, login);
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
      const login = await storedLogins(tools).find(deps.url);
      if (!login)
        return { text: `Nobody is signed in at ${deps.url}.`, json: { url: deps.url, signedOut: false } };
      // Gone here first: whatever the console says, this machine has it no more.
      await storedLogins(tools).store(deps.url, undefined);
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

/** As `/api/v1/me` of that console says. */
async function elsewhere(input: Input, { api }: Pick<Tools, 'api'>) {
  const me = (await api.call('readMe')).body as MeView;
  const { eligibleRoles = [], elevation = null } = me;
  const [user, url] = [me.username ?? me.id, consoleAddress(input.text('url')!)];
  return {
    text: fields({
      user,
      roles: me.roles.join(', ') || 'none',
      'may take': eligibleRoles.join(', ') || undefined,
      elevation: elevation ? `${elevation.role} until ${elevation.endsAt} (${elevation.id})` : undefined,
      console: url,
      by: 'HTTPS',
    }),
    json: { user, roles: me.roles, eligibleRoles, elevation, url, way: 'https' },
  };
}

interface MeView {
  readonly id: string;
  readonly username: string | null;
  readonly roles: readonly string[];
  /** Absent in what a console of an earlier release answers. */
  readonly eligibleRoles?: readonly string[];
  readonly elevation?: { readonly id: string; readonly role: string; readonly endsAt: string } | null;
}

function depsOf(input: Input, { fetch, now }: Tools): OAuthDeps {
  return { url: consoleAddress(input.text('url')!), fetch, now };
}

function storedLogins({ env }: Pick<Tools, 'env'>) {
  return createStoredLogins(loginsFile(env));
}
