/** The steps of a sign-in by a directory; the last of them needs somebody's name and password. */
import { ResultCodeError } from 'ldapts';
import { reasonInWords } from '../../../platform/names/network-reason.ts';
import { FederationError, type UpstreamIdentity } from '../connector.ts';
import { createDryRun, type DryRun, type DryStep } from '../dry-run.ts';
import { ldapSettings } from '../providers/connectors.ts';
import type { LdapProvider, SearchThenBind } from '../providers/schema.ts';
import { rolesOf } from '../role-rules.ts';
import { createLdapConnector } from './connector.ts';
import { type DirectorySession, openDirectorySession } from './session.ts';
import { escapeFilterValue, fillTemplate } from './text.ts';

const limits = { timeoutMs: 5000, maxBytes: 1024 * 1024 } as const;

export interface DryCredentials {
  readonly username: string;
  readonly password: string;
}

/**
 * @param who  somebody to sign in; without, the steps end before that
 * @param signal  ends what is under way
 */
export async function dryRunLdap(
  provider: LdapProvider,
  who: DryCredentials | undefined,
  signal: AbortSignal,
): Promise<readonly DryStep[]> {
  const run = createDryRun();
  const session = await connect(provider, run);
  if (!session) return run.steps;
  signal.addEventListener('abort', session.close);
  try {
    const { find } = provider.ldap;
    if (find.by === 'template') run.ok('template', `${find.dn}: tried with a name and a password only`);
    else if (!(await trySearch(session, find, provider.ldap.groups?.baseDn, { run, signal })))
      return run.steps;
  } finally {
    signal.removeEventListener('abort', session.close);
    session.close();
  }
  if (who) await signIn(provider, who, run, signal);
  return run.steps;
}

async function connect({ ldap }: LdapProvider, run: DryRun): Promise<DirectorySession | undefined> {
  const { protocol, host } = new URL(ldap.url);
  const isPlain = protocol === 'ldap:' && !ldap.startTls;
  try {
    const session = await openDirectorySession(ldap, limits);
    const how = ldap.startTls ? 'encrypted by StartTLS' : isPlain ? 'in the clear' : 'encrypted by TLS';
    run.ok('connection', `${host}, ${how}`);
    return session;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const isTls = /CERT|SIGNED|ERR_TLS|ERR_SSL|EPROTO/.test(code);
    const advice = isTls
      ? 'Name the authority of its certificate with --ca-file, and the host as the certificate does.'
      : ldap.startTls
        ? 'Check --ldap-url, and whether the directory offers StartTLS; ldaps: is the other way.'
        : 'Check --ldap-url, and that this machine reaches it.';
    return run.failed('connection', code ? reasonInWords(code, host) : `${host}: ${message}`, advice);
  }
}

/** @returns whether the service account may come in: without it, nothing more can be tried */
async function trySearch(
  session: DirectorySession,
  { bindDn, bindPassword, baseDn, filter }: SearchThenBind,
  groupBaseDn: string | undefined,
  { run, signal }: { readonly run: DryRun; readonly signal: AbortSignal },
): Promise<boolean> {
  const isBound = await tried('bind', bindDn, 'Check --bind-dn and --bind-password-file.', () =>
    session.bind(bindDn, bindPassword.reveal()),
  );
  if (!isBound) return false;
  await checkDn('base DN', baseDn, '--base-dn');
  // By a name that nobody has: whether the directory takes the filter at all.
  const filled = fillTemplate(filter, escapeFilterValue('nobody-of-this-name-(dry run)'));
  await tried('user filter', filter, 'Check --user-filter.', () =>
    session.search({ base: baseDn, filter: filled, attributes: ['1.1'], maxEntries: 2 }),
  );
  if (groupBaseDn !== undefined) await checkDn('group base DN', groupBaseDn, '--group-base-dn');
  return true;

  function checkDn(step: string, base: string, flag: string): Promise<boolean> {
    return tried(step, base, `Check ${flag}, and what --bind-dn may read.`, async () => {
      const found = await session.search({ base, attributes: ['1.1'], maxEntries: 1 });
      if (found.length === 0) throw new Error('nothing is shown there');
    });
  }

  async function tried(step: string, what: string, advice: string, work: () => Promise<unknown>) {
    try {
      await work();
      run.ok(step, what);
      return true;
    } catch (error) {
      run.failed(step, `${what}: ${signal.aborted ? reasonInWords('timeout') : resultOf(error)}`, advice);
      return false;
    }
  }
}

async function signIn(
  provider: LdapProvider,
  { username, password }: DryCredentials,
  run: DryRun,
  signal: AbortSignal,
): Promise<void> {
  const notes: string[] = [];
  const log = { warn: (fields: unknown) => void notes.push(reasonIn(fields)) };
  const connector = createLdapConnector(ldapSettings(provider), { log });
  const end = () => void connector.close();
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    const identity = await connector.verify(username, password);
    if (identity) reportIdentity(identity, provider, run);
    else {
      const why = notes.length > 0 ? notes.join('; ') : 'the name or the password is wrong';
      run.failed(
        'sign-in',
        why,
        'Check the name, the password, --base-dn and --user-filter or --dn-template.',
      );
    }
  } catch (error) {
    if (!(error instanceof FederationError)) throw error;
    run.failed('sign-in', error.message, 'Check what people or --bind-dn may read, and --subject-attribute.');
  } finally {
    signal.removeEventListener('abort', end);
    await connector.close();
  }
}

function reportIdentity(identity: UpstreamIdentity, { roleRules }: LdapProvider, run: DryRun): void {
  const { subject, username = 'none', email = 'none', name = 'none', attributes } = identity;
  run.ok('sign-in', `subject ${subject}, user name ${username}, e-mail ${email}, name ${name}`);
  const named = Object.entries(attributes).map(
    ([attribute, values]) => `${attribute}: ${values.join(' | ') || 'none'}`,
  );
  run.ok('attributes', named.join('; '));
  const roles = rolesOf(identity, roleRules);
  if (roles.length > 0) run.ok('roles', roles.join(', '));
  else
    run.failed(
      'roles',
      'no rule gives a role: this person is refused',
      'Change --role-rule or --default-role.',
    );
}

function resultOf(error: unknown): string {
  if (error instanceof ResultCodeError) return `${error.name} (${error.code})`;
  return error instanceof Error ? error.message : 'no answer';
}

function reasonIn(fields: unknown): string {
  const isObject = typeof fields === 'object' && fields !== null;
  return isObject && 'reason' in fields ? String(fields.reason) : 'the directory was not clear';
}
