/** What a start prints for the person at the terminal: where it is, and what to paste next. */
import { resolve } from 'node:path';
import type { MemberStatus } from '../member-proxy/members/members.ts';
import { startCommand } from '../platform/installation.ts';
import type { Setup } from './accounts/setup.ts';
import type { Users } from './accounts/users.ts';
import type { Settings } from './settings/settings.ts';

export interface WelcomeFacts {
  readonly settings: Settings;
  readonly users: Pick<Users, 'list'>;
  readonly setup: Pick<Setup, 'token' | 'isOpen'>;
  readonly members: readonly MemberStatus[];
  /** CONSOLE_APPLICATION_CLIENT_SECRET_FILE, when that is where the secret comes from. */
  readonly secretFile: string | undefined;
}

export async function welcome({
  settings,
  users,
  setup,
  members,
  secretFile,
}: WelcomeFacts): Promise<string> {
  const { url } = settings;
  return [
    '',
    `  issuer         ${url}`,
    `  member         ${members.map(shown).join(', ')}`,
    `  administrator  ${await administrator(users, setup, url)}`,
    '',
    ...machineLines(settings, secretFile),
    '',
    `console ready at ${url}`,
    '',
  ].join('\n');
}

/** One that does not answer is told here: a start goes on without it. */
function shown({ address, trouble, answersTo, isDrained, lastProbe }: MemberStatus): string {
  if (answersTo !== undefined) return `${address} (answers to /${answersTo}: see CONSOLE_MEMBER_PREFIX)`;
  if (trouble !== undefined) return `${address} (cannot be reached: ${trouble})`;
  if (lastProbe === 'notReady') return `${address} (not ready)`;
  return isDrained ? `${address} (drained)` : address;
}

/** As many administrators as are counted; of more it is said that there are more. */
const mostCounted = 100;

async function administrator(
  users: WelcomeFacts['users'],
  setup: WelcomeFacts['setup'],
  url: string,
): Promise<string> {
  if (await setup.isOpen()) return `none yet; make one at ${url}/setup?token=${setup.token}`;
  const { records, next } = await users.list({ role: 'Admin', limit: mostCounted });
  const names = records.flatMap(({ username, disabled }) => (disabled ? [] : username)).sort();
  const count = next === undefined ? `${names.length - 3} more` : 'others';
  const more = names.length > 3 ? ` and ${count}` : '';
  return `${names.slice(0, 3).join(', ')}${more}; sign in at ${url}/login`;
}

/** The secret itself is never printed: the lines read it from where the console has it from. */
function machineLines({ url, applicationClientSecret }: Settings, secretFile: string | undefined): string[] {
  if (!applicationClientSecret) {
    return [
      '  Tokens for machines (client credentials) are off. To turn them on, stop this and paste:',
      '',
      '    (umask 077; openssl rand -hex 32 > client.secret)',
      `    CONSOLE_APPLICATION_CLIENT_SECRET_FILE=client.secret ${startCommand()}`,
    ];
  }
  const secret = secretFile ? `$(cat ${quote(resolve(secretFile))})` : '$CONSOLE_APPLICATION_CLIENT_SECRET';
  const where = secretFile ? 'from another terminal' : 'where CONSOLE_APPLICATION_CLIENT_SECRET is set';
  return [
    `  Get a token and call the member with it, ${where}:`,
    '',
    `    TOKEN=$(curl -s -u "application-client:${secret}" -d grant_type=client_credentials ${url}/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `    curl -s -H "Authorization: Bearer $TOKEN" ${url}/svc/rest/cluster`,
  ];
}

/** A path as one word of a POSIX shell, also within double quotes and a command substitution. */
function quote(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
