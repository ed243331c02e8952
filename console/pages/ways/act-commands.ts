/** Acts that are asked about as commands: test/pages/act-ways.test.ts holds each to the table of commands. */

/** What the operation of an act gets. */
export interface ActRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly ifMatch?: string | undefined;
}

/** The words after `npx console`; undefined where no command does the same. */
type CommandOf = (asked: ActRequest) => readonly string[] | undefined;

type FlagsOf = Readonly<Record<string, (value: unknown) => readonly string[] | undefined>>;

const clientFields: FlagsOf = {
  scopes: joined('scope'),
  displayName: text('name'),
  tokenAlg: text('token-alg'),
};

/** By operation. */
const commandsOf: Readonly<Record<string, CommandOf>> = {
  approveChange: named('approval approve', 'approval'),
  cancelJob: named('job cancel', 'job'),
  changeClusterState: ({ query, body }) => withReason(query, ['cluster', 'state', String(body.state)]),
  changeClusterVersion: ({ body }) => ['cluster', 'version', String(body.version)],
  changeMemberLicence: () => ['cluster', 'set-licence', '--key-file', 'licence.key'],
  checkWanPublisher: wan('check', ({ map }) => ['--map', String(map)]),
  clearMap: named('map clear', 'map'),
  clearWanPublisher: wan('clear'),
  createApplicationSecret: rotation,
  createClientSecret: rotation,
  createElevation: ({ body: { role, minutes, reason } }) => [
    ...['elevate', String(role)],
    ...['--minutes', String(minutes), '--reason', String(reason)],
  ],
  deleteApplication: named('client remove', 'client'),
  deleteApplicationSecret: secretEnd,
  deleteClient: named('client remove', 'client'),
  deleteClientSecret: secretEnd,
  deleteElevation: named('elevation end', 'elevation'),
  deleteIdentityProvider: (asked) =>
    withFlags(named('idp remove', 'provider')(asked), asked.query.withAccounts ? ['--with-accounts'] : []),
  deleteMapEntry: named('map remove', 'map', 'key'),
  deleteRole: named('role remove', 'role'),
  deleteUser: named('user remove', 'user'),
  disableApplication: named('client disable', 'client'),
  disableClient: named('client disable', 'client'),
  disableIdentityProvider: named('idp disable', 'provider'),
  disableUser: named('user disable', 'user'),
  enableApplication: named('client enable', 'client'),
  enableClient: named('client enable', 'client'),
  enableIdentityProvider: named('idp enable', 'provider'),
  enableUser: named('user enable', 'user'),
  endAllSessions: ({ body }) => withReason(body, ['session', 'end-all', '--everybody']),
  endOpenCall: named('call end', 'call'),
  endSession: named('session end', 'session'),
  endUserSessions: named('user end-sessions', 'user'),
  forceStartCluster: ({ query }) => withReason(query, ['cluster', 'force-start']),
  interruptHotBackup: named('cluster interrupt-backup'),
  partialStartCluster: ({ query }) => withReason(query, ['cluster', 'partial-start']),
  pollQueue: named('queue poll', 'queue'),
  promoteToCpMember: named('cp promote', 'member'),
  rejectChange: (asked) =>
    withFlags(
      named('approval reject', 'approval')(asked),
      asked.body.reason === undefined ? [] : ['--reason', String(asked.body.reason)],
    ),
  reloadMemberConfig: named('cluster reload'),
  removeCpGroup: named('cp remove-group', 'group'),
  removeCpMember: named('cp remove-member', 'cpMember'),
  removeCpSession: named('cp remove-session', 'group', 'session'),
  resetCp: ({ query }) => withReason(query, ['cp', 'reset']),
  resetUserPassword: named('user reset-password', 'user'),
  rotateKeys: ({ body }) => ['keys', 'rotate', ...(body.now === true ? ['--now'] : [])],
  shutDownCluster: ({ query }) => withReason(query, ['cluster', 'shutdown']),
  shutDownMember: (asked) => {
    const command = named('member shutdown', 'member')(asked);
    return command && withReason(asked.query, command);
  },
  startHotBackup: named('cluster backup'),
  startQueueDrain: (asked) =>
    withFlags(named('queue drain', 'queue')(asked), [
      ...['--most', String(asked.body.most)],
      ...['--to-file', 'items.jsonl'],
    ]),
  stopWanPublisher: wan('stop'),
  syncWanPublisher: wan('sync', ({ map }) => (map === undefined ? [] : ['--map', String(map)])),
  updateApplication: update('client update', 'client', clientFields),
  updateClient: update('client update', 'client', clientFields),
  updateRole: update('role update', 'role', {
    permissions: joined('scope'),
    // No flag takes it away.
    description: (value) => (value === null ? undefined : ['--description', String(value)]),
  }),
  updateUser: update('user update', 'user', {
    displayName: text('name'),
    email: text('email'),
    roles: each('role'),
    eligibleRoles: each('eligible-role'),
  }),
};

/** Commands that take what a form has typed from a file: what to write there first. */
const filesOf: Readonly<Record<string, { readonly words: readonly string[]; readonly content: string }>> = {
  addWanConfig: { words: ['wan', 'add', '--file', 'wan.json'], content: 'config' },
  updateMemberConfig: { words: ['cluster', 'config', '--file', 'members.yaml'], content: 'config' },
};

export interface ActCommand {
  readonly words: readonly string[];
  /** Written before it. */
  readonly file?: { readonly name: string; readonly content: string };
}

/** @returns undefined where no command does the same */
export function actCommandOf(operation: string, asked: ActRequest): ActCommand | undefined {
  const withFile = filesOf[operation];
  if (withFile) {
    const { words, content } = withFile;
    const said = asked.body[content];
    const file = { name: words.at(-1)!, content: typeof said === 'string' ? said : JSON.stringify(said) };
    return { words: withReason(asked.query, words), file };
  }
  const words = commandsOf[operation]?.(asked);
  return words && { words };
}

/** @param names  of params, in the order in which they are typed */
function named(words: string, ...names: readonly string[]): CommandOf {
  return ({ params }) => {
    const typed = names.map((name) => params[name] ?? '');
    // It would be read as a flag.
    return typed.some((one) => one.startsWith('-')) ? undefined : [...words.split(' '), ...typed];
  };
}

function withFlags(
  command: readonly string[] | undefined,
  flags: readonly string[],
): readonly string[] | undefined {
  return command && [...command, ...flags];
}

function withReason({ reason }: ActRequest['query'], command: readonly string[]): readonly string[] {
  return reason === undefined ? command : [...command, '--reason', String(reason)];
}

function wan(word: string, flagsOf: (body: ActRequest['body']) => readonly string[] = () => []): CommandOf {
  const command = named(`wan ${word}`, 'replication', 'publisher');
  return (asked) => withFlags(command(asked), flagsOf(asked.body));
}

/** Where there is one secret, `oldest` ends none. */
function rotation({ params, body }: ActRequest): readonly string[] {
  const { ends, othersEndAt, othersEndOnUse } = body;
  const later = othersEndAt === undefined ? ['--keep-old'] : ['--old-ends-at', String(othersEndAt)];
  const flags = ends === 'all' ? ['--revoke-old'] : othersEndOnUse ? [] : later;
  return ['client', 'rotate-secret', params.client ?? '', ...flags];
}

function secretEnd(asked: ActRequest): readonly string[] | undefined {
  const flags = asked.query.endTokens === 'false' ? ['--keep-tokens'] : [];
  return withFlags(named('client remove-secret', 'client', 'secret')(asked), flags);
}

function update(words: string, param: string, fields: FlagsOf): CommandOf {
  return ({ params, body, ifMatch }) => {
    const flags = Object.entries(body).map(([name, value]) => fields[name]?.(value));
    if (flags.length === 0 || flags.includes(undefined)) return undefined;
    const version = ifMatch === undefined ? [] : ['--if-match', `"${ifMatch}"`];
    return [...words.split(' '), params[param] ?? '', ...flags.flatMap((flag) => flag ?? []), ...version];
  };
}

function text(flag: string): FlagsOf[string] {
  return (value) => [`--${flag}`, value === null ? 'none' : String(value)];
}

function each(flag: string): FlagsOf[string] {
  return (value) => listIn(value)?.flatMap((one) => [`--${flag}`, one]);
}

function joined(flag: string): FlagsOf[string] {
  return (value) => {
    const list = listIn(value);
    return list && [`--${flag}`, list.join(' ')];
  };
}

/** @returns undefined of an empty one, which no flag says */
function listIn(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value.map(String) : undefined;
}
