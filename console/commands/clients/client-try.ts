/** `console client try`: what a token of a client would carry and open, and whether it would open one call. */
import { type Command, flags, type Input, type Reply, UsageError } from '../runner/command.ts';
import { columns, fields } from '../runner/output.ts';

/** As the API shows them, as far as it is printed. */
interface TrialView {
  readonly isIssued: boolean;
  readonly reason: string | null;
  readonly audience: string | null;
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  readonly tokenType: string;
  readonly tokenAlg: string;
  readonly tokenTyp: string;
  readonly ttlSeconds: number;
  readonly opens: readonly {
    readonly methods: readonly string[];
    readonly path: string;
    readonly outcome: 'allowed' | 'partly';
    readonly names: readonly string[] | null;
  }[];
}
interface DecisionView {
  readonly method: string;
  readonly path: string;
  readonly isAllowed: boolean;
  readonly because: string;
  readonly wouldDo?: { readonly scopes: readonly string[] } | null;
}

export const tryCommand: Command = {
  isOnApi: true,
  name: 'client try',
  summary: 'Says what a token of a client would carry and open, and whether it would open a call.',
  positionals: ['<id>', '[<method>]', '[<path>]'],
  flags: flags({
    '[--scope "…"]': 'what it would ask for, separated by spaces (default: all that goes together)',
    '[--resource U]': 'for which resource, as in a token request (RFC 8707)',
  }),
  details: [
    'No token is given out, and nothing is sent to a member.',
    'Exit code 1: there would be no token, or it would not open the call.',
  ],
  async run(input, { api }) {
    const [client = '', method, path] = input.positionals;
    if (method !== undefined && path === undefined) {
      throw new UsageError('Say which call, such as GET /svc/rest/cluster.', tryCommand);
    }
    const body = askedIn(input);
    const token = (await api.call('tryClient', { params: { client }, body })).body as TrialView;
    if (method === undefined || path === undefined || !token.isIssued) return shown(client, token, null);
    // Without scopes a token has roles, or opens nothing.
    const scope = token.scopes.length > 0 && { scope: token.scopes.join(' ') };
    const query = { method: method.toUpperCase(), path, client, ...scope };
    return shown(client, token, (await api.call('explainAccess', { query })).body as DecisionView);
  },
};

function askedIn(input: Input): object {
  const [scope, resource] = [input.text('scope'), input.text('resource')];
  return {
    ...(scope !== undefined && { scopes: scope.split(' ').filter(Boolean) }),
    ...(resource !== undefined && { resource }),
  };
}

function shown(client: string, token: TrialView, call: DecisionView | null): Reply {
  const text = [tokenInWords(client, token), ...(call ? [callInWords(call)] : openedInWords(token))];
  return {
    text: text.join('\n\n'),
    json: { client, token, call },
    hasFailed: !token.isIssued || call?.isAllowed === false,
  };
}

function tokenInWords(client: string, token: TrialView): string {
  if (!token.isIssued) return `${client} would get no token. ${token.reason ?? ''}`;
  const { tokenType, tokenTyp, tokenAlg, ttlSeconds, audience, scopes, roles } = token;
  return fields({
    client,
    token: `${tokenType}, ${tokenTyp}, ${tokenAlg}, for ${ttlSeconds} s`,
    for: audience ?? undefined,
    scopes: scopes.join(' ') || 'none',
    roles: roles.join(', ') || undefined,
  });
}

function openedInWords({ isIssued, opens }: TrialView): readonly string[] {
  if (!isIssued) return [];
  if (opens.length === 0) return ['It would open no call to the members.'];
  return [
    columns(opens.map(({ methods, path, names }) => [methods.join(', '), path, (names ?? []).join(', ')])),
  ];
}

function callInWords({ method, path, isAllowed, because, wouldDo }: DecisionView): string {
  const said = `${method} ${path}: ${isAllowed ? 'let through' : 'refused'}. ${because}`;
  return wouldDo ? `${said}\nwould do  scope ${wouldDo.scopes.join(', or ')}` : said;
}
