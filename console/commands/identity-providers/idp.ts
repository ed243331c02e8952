import type { ProviderView } from '../../admin-api/identity-provider-view.ts';
import { type ProviderKind, providerKinds } from '../../federation/providers/kinds.ts';
import { conditionsIn, makingFlags, makingIn, ownedFlags } from '../operations/changes.ts';
import { inFlags } from '../operations/flag-names.ts';
import { listFlags, listReply } from '../operations/lists.ts';
import { type Command, flags, type Input, type Reply, type Tools, UsageError } from '../runner/command.ts';
import { flagCalled, providerFlags, readProviderFlags } from './idp-flags.ts';
import { testCommand } from './idp-test.ts';
import { describeProvider, headings, rowOf } from './idp-view.ts';

const onApi = { isOnApi: true } as const;

export const idpCommands: readonly Command[] = [
  {
    ...onApi,
    name: 'idp add',
    summary: 'Adds an upstream identity provider: OpenID Connect, SAML 2.0 or LDAP.',
    positionals: ['<id>'],
    flags: {
      ...flags({ '--kind K': `${providerKinds.join(', ')}: the protocol` }),
      ...providerFlags,
      ...flags({ '[--disabled]': 'nobody signs in by it until idp enable: to test it first' }),
      ...makingFlags,
    },
    createsStore: true,
    details: [
      'Roles come from rules and nothing else. Each matching --role-rule gives its role; --default-role is for whom none\n' +
        'matches, and without it they are refused. The value reaches from the first = to the last ->, so that a group’s\n' +
        'distinguished name can stand there. Claims inside objects are named by their path: realm_access.roles.',
      'The provider needs this console’s callback address, which the answer shows; npx console idp test <id> then runs a\n' +
        'dry sign-in. Sign-ins that the provider begins by itself are never accepted.',
    ],
    async run(input, tools) {
      const [kind, isDryRun] = [kindOf(input), input.has('dry-run')];
      const said = await readProviderFlags(input, tools);
      const body = { id: idOf(input), kind, ...said, enabled: !input.has('disabled') };
      const answer = await inFlags(flagCalled, () =>
        tools.api.call('createIdentityProvider', { body, ...makingIn(input) }),
      );
      const next = isDryRun ? 'Would add' : 'Added';
      const tip = isDryRun ? '' : ` Try it: npx console idp test ${body.id}`;
      return done(answer.body as ProviderView, `${next} ${body.id}.${tip}`);
    },
  },
  {
    ...onApi,
    name: 'idp update',
    summary: 'Changes settings of an identity provider and keeps its accounts.',
    positionals: ['<id>'],
    flags: { ...providerFlags, ...ownedFlags },
    details: [
      'What is not given stays. Given rules replace all rules; --default-role none takes the default role away.\n' +
        '--metadata-url and --metadata-file read the metadata anew; --sign-requests makes a new key.',
      'The issuer (oidc), entity id (saml) and subject attribute (ldap) cannot change while there are accounts: they say\n' +
        'who those accounts are.',
    ],
    async run(input, tools) {
      const said = await readProviderFlags(input, tools);
      if (Object.keys(said).length === 0) {
        throw new UsageError(
          'Say what to change, such as --name or --role-rule. npx console help idp update lists it.',
        );
      }
      const renewsKeys = said.signRequests === true || said.encryptedAssertions === true;
      const body = { ...said, ...(renewsKeys && { renewKeys: true }) };
      const request = { ...conditionsOf(input), body };
      const answer = await inFlags(flagCalled, () => tools.api.call('updateIdentityProvider', request));
      return done(
        answer.body as ProviderView,
        `${input.has('dry-run') ? 'Would change' : 'Changed'} ${idOf(input)}.`,
      );
    },
  },
  {
    ...onApi,
    name: 'idp list',
    summary: 'Lists the identity providers.',
    flags: listFlags,
    run: (input, tools) =>
      listReply<ProviderView>(tools, 'listIdentityProviders', input, {
        headings,
        row: rowOf,
        none: 'There is no identity provider yet: npx console idp add <id> --kind oidc …',
      }),
  },
  {
    ...onApi,
    name: 'idp show',
    summary: 'Shows one identity provider, without its secrets.',
    positionals: ['<id>'],
    async run(input, { api }) {
      const { body } = await api.call('readIdentityProvider', { params: paramsOf(input) });
      return done(body as ProviderView, '');
    },
  },
  testCommand,
  {
    ...onApi,
    name: 'idp enable',
    summary: 'Lets people sign in by a disabled identity provider again.',
    positionals: ['<id>'],
    flags: ownedFlags,
    run: (input, tools) => switched('enable', input, tools),
  },
  {
    ...onApi,
    name: 'idp disable',
    summary: 'Keeps everybody of an identity provider out, and ends their sessions.',
    positionals: ['<id>'],
    flags: ownedFlags,
    run: (input, tools) => switched('disable', input, tools),
  },
  {
    ...onApi,
    name: 'idp remove',
    summary: 'Removes an identity provider; while it has accounts, only together with them.',
    positionals: ['<id>'],
    flags: {
      ...flags({
        '[--with-accounts]': 'removes the accounts that came from there too, and ends their sessions',
      }),
      ...ownedFlags,
    },
    details: [
      'An account belongs to its provider and to nobody else: it goes with it, and a provider that is added under the\n' +
        'same id later begins without accounts. To keep people out for a while, disable it.',
    ],
    asks: ({ positionals: [name = ''], has }) => ({
      says: `This removes the identity provider ${name}${has('with-accounts') ? ' with all of its accounts' : ''}.`,
      name,
    }),
    async run(input, { api }) {
      const [id, isDryRun] = [idOf(input), input.has('dry-run')];
      const withAccounts = String(input.has('with-accounts'));
      const { body } = await api.call('deleteIdentityProvider', {
        ...conditionsOf(input),
        query: { withAccounts },
      });
      const { accountsRemoved = 0 } = (body ?? {}) as { readonly accountsRemoved?: number };
      const said = accountsRemoved === 0 || isDryRun ? '' : ` ${accountsRemoved} accounts went with it.`;
      return {
        text: `${isDryRun ? 'Would remove' : 'Removed'} ${id}.${said}`,
        json: { id, removed: !isDryRun, accountsRemoved: isDryRun ? 0 : accountsRemoved },
      };
    },
  },
];

function kindOf(input: Input): ProviderKind {
  const kind = providerKinds.find((known) => known === input.text('kind'));
  if (kind) return kind;
  throw new UsageError(`--kind is one of ${providerKinds.join(', ')}.`);
}

async function switched(word: 'enable' | 'disable', input: Input, { api }: Tools): Promise<Reply> {
  const id = word === 'enable' ? 'enableIdentityProvider' : 'disableIdentityProvider';
  const { body } = await api.call(id, conditionsOf(input));
  const verb = word === 'enable' ? 'Enabled' : 'Disabled';
  return done(body as ProviderView, `${input.has('dry-run') ? `Would ${word}` : verb} ${idOf(input)}.`);
}

function idOf({ positionals }: Input): string {
  return positionals[0] ?? '';
}

function paramsOf(input: Input) {
  return { provider: idOf(input) };
}

function conditionsOf(input: Input) {
  return { params: paramsOf(input), ...conditionsIn(input) };
}

function done(view: ProviderView, said: string): Reply {
  return { text: [said, describeProvider(view)].filter((part) => part !== '').join('\n\n'), json: view };
}
