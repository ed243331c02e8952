import { type Command, flags, type Input, type Reply, type Tools, UsageError } from './runner/command.ts';
import { fields } from './runner/output.ts';

/** As the API shows them, as far as it is printed. */
interface RuleView {
  readonly methods: readonly string[];
  readonly template: string;
  readonly group: string;
}

interface Opening {
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
}

interface CallView {
  readonly method: string;
  readonly path: string;
  readonly isAllowed: boolean;
  readonly because: string;
  readonly rule?: RuleView | null;
  readonly opened?: Opening | null;
  readonly wouldDo?: Opening | null;
}

interface DenialView extends Pick<CallView, 'method' | 'path' | 'rule'> {
  readonly decisionId: string;
  readonly at: string;
  readonly source?: string;
  readonly reportedBy?: string;
  readonly caller:
    | (Opening & {
        readonly username?: string;
        readonly subject: string;
        readonly clientId: string;
        readonly jti: string;
      })
    | null;
  readonly status: number;
  readonly code: string;
  readonly reason?: string;
  readonly missing: string | null;
  readonly member?: string;
  readonly now: Pick<CallView, 'wouldDo'> | null;
  readonly change: string;
  readonly command: string | null;
  readonly requestId?: string;
  readonly traceId?: string;
}

/** Who would call. */
export const callerFlags = flags({
  '[--user NAME]': 'a user, with the roles that the user has now',
  '[--client I]': 'a client that asks for the scopes given, or for all it may ask for',
  '[--role R …]': 'a role: Admin, Viewer, MetricsViewer, or a custom one',
  '[--scope "…"]': 'scopes of the token, separated by spaces',
});

export const explainCommand: Command = {
  isOnApi: true,
  name: 'explain',
  summary:
    'Tells whether a call to a member would be let through, or why one was not, and what would open it.',
  positionals: ['[<method>]', '[<path>]'],
  flags: {
    ...flags({ '[--decision ID]': 'the decision_id of a denial, instead of method and path' }),
    ...callerFlags,
  },
  details: [
    'Say who calls by --user, by --client, or by --role and --scope. Nothing is sent to a member.',
    'Denials are kept for a day, the newest ten thousand; a running console writes them once a second.',
    'Exit code 0 when the call would be let through, 1 when not; with --decision 0 when the denial is known.',
  ],
  run: (input, tools) => (input.has('decision') ? explainDecision(input, tools) : explainCall(input, tools)),
};

async function explainDecision(input: Input, { api }: Tools): Promise<Reply> {
  const isAlone = input.positionals.length === 0 && isForNobody(input);
  if (!isAlone) throw new UsageError('With --decision nothing else is said.', explainCommand);
  const { body } = await api.call('explainAccess', { query: { decision: input.text('decision')! } });
  return { text: denialInWords(body as DenialView), json: body };
}

async function explainCall(input: Input, { api }: Tools): Promise<Reply> {
  const [method, path] = input.positionals;
  if (method === undefined || path === undefined) {
    throw new UsageError('Say which call, such as GET /svc/rest/cluster, or --decision ID.', explainCommand);
  }
  const query = { method: method.toUpperCase(), path, ...callerIn(input) };
  const explained = (await api.call('explainAccess', { query })).body as CallView;
  const text = callInWords(explained);
  return {
    text: isForNobody(input) ? `${text}\n${forNobody}` : text,
    json: isForNobody(input) ? { ...explained, note: forNobody } : explained,
    hasFailed: !explained.isAllowed,
  };
}

const forNobody =
  'Nobody was named, so this is the answer for a caller with no role and no scope. Say who calls by --user, --client, --role or --scope.';

function isForNobody(input: Input): boolean {
  return Object.keys(callerFlags).every((flag) => !input.has(flag));
}

/** As the API asks for them. */
export function callerIn(input: Input): Readonly<Record<string, string | readonly string[]>> {
  const said = { user: input.text('user'), client: input.text('client'), role: input.texts('role') };
  const asked = { ...said, scope: input.text('scope') };
  return Object.fromEntries(
    Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function callInWords({ method, path, isAllowed, because, rule, opened, wouldDo }: CallView): string {
  const lines = [`${method} ${path}: ${isAllowed ? 'let through' : 'refused'}. ${because}`];
  if (rule) lines.push(`rule      ${rule.methods.join(', ')} ${rule.template} (${rule.group})`);
  if (opened) lines.push(`opened by ${listed([...opened.roles, ...opened.scopes])}`);
  if (wouldDo) {
    lines.push(`would do  scope ${wouldDo.scopes.join(', or ')}`);
    lines.push(`          role ${wouldDo.roles.join(', or ')}`);
  }
  return lines.join('\n');
}

/** The path and what a token says came from outside, so nothing of it may steer a terminal. */
function denialInWords(denial: DenialView): string {
  const { caller, rule, now } = denial;
  return fields({
    decision: denial.decisionId,
    time: denial.at,
    call: denial.method === '' ? 'a request that could not be read' : `${denial.method} ${denial.path}`,
    from: denial.source,
    'refused by': denial.reportedBy && `the proxy of the client ${denial.reportedBy}`,
    by: caller
      ? `${caller.username ?? caller.subject}, with a token of ${caller.clientId} (${caller.jti})`
      : 'unknown',
    roles: caller && caller.roles.length > 0 ? caller.roles.join(', ') : undefined,
    scopes: caller && caller.scopes.length > 0 ? caller.scopes.join(' ') : undefined,
    answer: `${denial.status} ${denial.code}`,
    reason: denial.reason,
    rule: rule ? `${rule.methods.join(', ')} ${rule.template} (${rule.group})` : undefined,
    missing: denial.missing ?? undefined,
    member: denial.member,
    'would do': now?.wouldDo
      ? [...now.wouldDo.scopes, ...now.wouldDo.roles.map((role) => `role ${role}`)]
      : undefined,
    change: denial.change,
    command: denial.command ?? undefined,
    'request id': denial.requestId,
    'trace id': denial.traceId,
  });
}

function listed(names: readonly string[]): string {
  return names.length > 0 ? names.join(', ') : 'its scopes together';
}
