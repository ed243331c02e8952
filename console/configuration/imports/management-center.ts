/** A script that sets Management Center up with `hz-mc conf`, or `mc-conf.sh` as it was called before. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import { createDraft, type Draft, type Imported, said } from './imported.ts';
import type { ImportOptions } from './keycloak.ts';
import { commandsOf } from './shell-words.ts';

/** Those that open the same here; who may write there but not administer has no counterpart. */
const rolesThere: Readonly<Record<string, string>> = {
  admin: 'Admin',
  readonly: 'Viewer',
  metricsonly: 'MetricsViewer',
};

type Options = ReadonlyMap<string, string>;
type Task = (options: Options, draft: Draft) => void;

/** @throws {ProblemError} `invalid_request` for a file without such a command */
export function importManagementCenter(text: string, { source, roles }: ImportOptions): Imported {
  const draft = createDraft(new Map([...Object.entries(rolesThere), ...roles]));
  const commands = commandsOf(text).flatMap((words) => {
    const at = words.findIndex((word, i) => isTool(word, words[i + 1]));
    if (at < 0) return [];
    return [words.slice(at + (/(^|\/)hz-mc$/.test(words[at]!) ? 2 : 1))];
  });
  if (commands.length === 0) {
    throw new ProblemError(problems.invalidRequest, 'This has no hz-mc conf in it, nor mc-conf.');
  }
  for (const words of commands) {
    const name = words.slice(0, 2).join(' ');
    const task = tasks[name];
    if (task) task(optionsOf(words.slice(2)), draft);
    else draft.leave(name, 'there is nothing of the kind');
  }
  return draft.finish(source);
}

function isTool(word: string, next: string | undefined): boolean {
  return /(^|[/\\])mc-conf(\.sh|\.bat)?$/.test(word) || (/(^|\/)hz-mc$/.test(word) && next === 'conf');
}

const long: Readonly<Record<string, string>> = {
  n: 'username',
  p: 'password',
  r: 'role',
  H: 'home',
  cn: 'cluster-name',
  ma: 'member-addresses',
};

/** `-n=x`, `-n x`, `--name=x` and `--name x`; one without a value is there, and says nothing. */
function optionsOf(words: readonly string[]): Options {
  const options = new Map<string, string>();
  for (let i = 0; i < words.length; i++) {
    const [, name, value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(words[i]!) ?? [];
    if (name === undefined) continue;
    const next = words[i + 1];
    const isNext = value === undefined && next !== undefined && !next.startsWith('-');
    options.set(long[name] ?? name, value ?? (isNext ? words[++i]! : ''));
  }
  return options;
}

const tasks: Readonly<Record<string, Task>> = {
  'user create': addUser,
  'user configure': addUser,
  'user update-password': (options, { leave }) =>
    leave(
      `password of ${options.get('username') ?? 'a user'}`,
      'people choose theirs by a link: npx console user add, or the API’s invite',
    ),
  'ldap configure': addDirectory,
  'oidc configure': addOidc,
  'saml configure': (_options, { leave }) =>
    leave(
      'saml configure',
      'npx console idp add ID --kind saml --metadata-file F, with a --role-rule for each group',
    ),
  'active-directory configure': (options, { leave }) =>
    leave(
      `active-directory configure ${options.get('url') ?? ''}`.trim(),
      'people are searched for by an account of the console’s own here: npx console idp add ID --kind ldap --bind-dn D',
    ),
  'jaas configure': (_options, { leave }) =>
    leave('jaas configure', 'people come from LDAP, OpenID Connect and SAML'),
  'dev-mode configure': (_options, { leave }) =>
    leave('dev-mode configure', 'nobody is let in without signing in'),
  'cluster add': addCluster,
  'security reset': () => {},
};

function addUser(options: Options, draft: Draft): void {
  const name = options.get('username');
  if (!name || name.includes('$')) {
    draft.leave(`user ${name ?? ''}`.trim(), 'its name is not in the file');
    return;
  }
  const there = options.get('role') ?? '';
  const role = draft.roleFor(there);
  if (role === undefined)
    draft.leave(
      `user ${name}: role ${there}`,
      `--role ${there || 'readwrite'}=Viewer says which one it stands for`,
    );
  draft.leave(`user ${name}: the password`, 'the user is invited, and chooses one by a link');
  draft.add('users', name, { roles: role === undefined ? [] : [role] });
}

function addDirectory(options: Options, draft: Draft): void {
  const member = /^\(?([A-Za-z][\w-]*)=\{0\}\)?$/.exec(options.get('group-search-filter') ?? '');
  const known = ['url', 'ldap-username', 'ldap-password', 'user-dn', 'group-dn', 'user-search-filter'];
  if (options.has('group-search-filter') && !member) {
    draft.leave(
      `ldap configure: --group-search-filter ${options.get('group-search-filter')}`,
      'groupAttribute names the attribute with the members of a group',
    );
  }
  const tls = options.get('start-tls') ?? options.get('startTls');
  draft.add(
    'identityProviders',
    'ldap',
    said({
      kind: 'ldap',
      name: 'Directory',
      url: options.get('url')?.replace(/\/+$/, ''),
      startTls: tls === undefined || tls === 'false' ? undefined : true,
      bindDn: options.get('ldap-username'),
      bindPassword: draft.secret(
        'secrets/identityProviders-ldap-bindPassword',
        written(options.get('ldap-password')),
      ),
      baseDn: options.get('user-dn'),
      userFilter: userFilterOf(options.get('user-search-filter')),
      groupBaseDn: options.get('group-dn'),
      groupAttribute: member?.[1],
      roleRules: rulesOf('ldap configure', 'groups', options, draft),
    }),
  );
  leaveOthers('ldap configure', options, [...known, 'group-search-filter', 'start-tls', 'startTls'], draft);
}

function userFilterOf(filter: string | undefined): string | undefined {
  if (!filter) return undefined;
  const whole = filter.startsWith('(') ? filter : `(${filter})`;
  return whole.replaceAll('{0}', '{username}');
}

function addOidc(options: Options, draft: Draft): void {
  const known = [
    ...['issuer', 'client-id', 'client-secret', 'groups-claim-name', 'redirect-url'],
    ...['authorization-endpoint-url', 'token-endpoint-url', 'jwk-set-url', 'user-info-endpoint-url'],
  ];
  const claim = options.get('groups-claim-name') || 'groups';
  draft.add(
    'identityProviders',
    'oidc',
    said({
      kind: 'oidc',
      issuer: options.get('issuer'),
      clientId: options.get('client-id'),
      clientAuth: 'basic',
      clientSecret: draft.secret(
        'secrets/identityProviders-oidc-clientSecret',
        written(options.get('client-secret')),
      ),
      authorizationEndpoint: options.get('authorization-endpoint-url'),
      tokenEndpoint: options.get('token-endpoint-url'),
      jwksUri: options.get('jwk-set-url'),
      userinfoEndpoint: options.get('user-info-endpoint-url'),
      roleRules: rulesOf('oidc configure', claim, options, draft),
    }),
  );
  draft.leave(
    `oidc configure: --redirect-url ${options.get('redirect-url') ?? ''}`.trim(),
    'register <CONSOLE_URL>/login/callback/oidc at the provider',
  );
  leaveOthers('oidc configure', options, known, draft);
}

const groupOptions: Readonly<Record<string, string>> = {
  'admin-groups': 'admin',
  'read-write-groups': 'readwrite',
  'read-only-groups': 'readonly',
  'metrics-only-groups': 'metricsonly',
};

/** Names are separated by commas, or by semicolons where they have commas themselves. */
function rulesOf(
  about: string,
  attribute: string,
  options: Options,
  draft: Draft,
): readonly string[] | undefined {
  const rules = Object.entries(groupOptions).flatMap(([option, there]) => {
    const text = options.get(option) ?? '';
    const groups = text.split(text.includes(';') || /\w=/.test(text) ? ';' : ',').map((name) => name.trim());
    return groups
      .filter((group) => group !== '')
      .flatMap((group) => {
        const role = draft.roleFor(there);
        if (role !== undefined) return [`${attribute}=${group} -> ${role}`];
        draft.leave(`${about}: --${option} ${group}`, `--role ${there}=Viewer says which role it gives here`);
        return [];
      });
  });
  return rules.length > 0 ? rules : undefined;
}

/** They say something of how it runs, and not of what is set. */
const ofTheTool = ['home', 'verbose', 'v', 'force', 'f', 'lenient', 'help', 'h'];

function leaveOthers(about: string, options: Options, known: readonly string[], { leave }: Draft): void {
  for (const name of options.keys()) {
    if (known.includes(name) || name in groupOptions || ofTheTool.includes(name)) continue;
    leave(`${about}: --${name}`, 'there is nothing of the kind');
  }
}

function addCluster(options: Options, { leave }: Draft): void {
  const addresses = options.get('member-addresses') ?? options.get('cluster-address');
  const name = options.get('cluster-name') ?? '';
  const what = `cluster ${name}`.trim();
  if (!addresses) {
    leave(
      what,
      `${options.get('client-config') ?? 'its file'} is of a member’s client: CONSOLE_MEMBERS names the members’ REST addresses`,
    );
    return;
  }
  const members = addresses.split(',').map((address) => `http://${address.trim()}`);
  const user = name === '' || name === 'dev' ? '' : ` CONSOLE_MEMBER_USERNAME=${name}`;
  leave(what, `settings of the console: CONSOLE_MEMBERS=${members.join(',')}${user}`);
}

/** What a shell would have filled in is not in the file. */
function written(value: string | undefined): string | undefined {
  return value === undefined || value === '' || value.includes('$') ? undefined : value;
}
