import { randomBytes } from 'node:crypto';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { Services } from '../../app/services.ts';
import { ProviderInputError } from '../../federation/errors.ts';
import type { ProviderInput } from '../../federation/providers/input-schema.ts';
import { type ProviderKind, providerKinds } from '../../federation/providers/kinds.ts';
import type { NewProvider } from '../../federation/providers/provider-edit.ts';
import type { ListedProvider } from '../../federation/providers/registration.ts';
import type { Provider } from '../../federation/providers/schema.ts';
import { type Command, flags, type Input, type Reply, UsageError } from '../runner/command.ts';
import { table } from '../runner/output.ts';
import { flagCalled, providerFlags, readProviderFlags } from './idp-flags.ts';
import { testCommand } from './idp-test.ts';
import { describeProvider, rowOf } from './idp-view.ts';

export const idpCommands: readonly Command[] = [
  {
    name: 'idp add',
    summary: 'Adds an upstream identity provider: OpenID Connect, SAML 2.0 or LDAP.',
    positionals: ['<id>'],
    flags: {
      ...flags({ '--kind K': `${providerKinds.join(', ')}: the protocol` }),
      ...providerFlags,
      ...flags({ '[--disabled]': 'nobody signs in by it until idp enable: to test it first' }),
    },
    details: [
      'Roles come from rules and nothing else. Each matching --role-rule gives its role; --default-role is for whom none\n' +
        'matches, and without it they are refused. The value reaches from the first = to the last ->, so that a group’s\n' +
        'distinguished name can stand there. Claims inside objects are named by their path: realm_access.roles.',
      'The provider needs this console’s callback address, which the answer shows; npx console idp test <id> then runs a\n' +
        'dry sign-in. Sign-ins that the provider begins by itself are never accepted.',
    ],
    event: 'idp.added',
    async run(input, tools) {
      const kind = kindOf(input);
      const said = await readProviderFlags(input, tools);
      const services = await tools.services({ creates: true });
      const provider = await readSettings({ id: input.positionals[0]!, kind }, said, services);
      const registration = await services.providerRegistration();
      const added = await registration.add({ ...provider, enabled: !input.has('disabled') });
      return done(
        await registration.find(added.id),
        services,
        `Added ${added.id}. Try it: npx console idp test ${added.id}`,
      );
    },
  },
  {
    name: 'idp update',
    summary: 'Changes settings of an identity provider and keeps its accounts.',
    positionals: ['<id>'],
    flags: providerFlags,
    details: [
      'What is not given stays. Given rules replace all rules; --default-role none takes the default role away.\n' +
        '--metadata-url and --metadata-file read the metadata anew; --sign-requests makes a new key.',
      'The issuer (oidc), entity id (saml) and subject attribute (ldap) cannot change while there are accounts: they say\n' +
        'who those accounts are.',
    ],
    event: 'idp.updated',
    async run(input, tools) {
      const said = await readProviderFlags(input, tools);
      if (Object.keys(said).length === 0) {
        throw new UsageError(
          'Say what to change, such as --name or --role-rule. npx console help idp update lists it.',
        );
      }
      const services = await tools.services();
      const registration = await services.providerRegistration();
      const before = readable(await registration.find(input.positionals[0]!));
      const after = await readSettings(before, said, services, before);
      await registration.update(before.id, () => after);
      return done(await registration.find(before.id), services, `Changed ${before.id}.`);
    },
  },
  {
    name: 'idp list',
    summary: 'Lists the identity providers.',
    async run(_input, { services }) {
      const opened = await services();
      // What reads records takes longer to load than a store without one is worth.
      const isEmpty = opened.storage.registry.all('providers').size === 0;
      const all = isEmpty ? [] : await (await opened.providerRegistration()).list();
      const { viewOfProvider } = await import('../../federation/providers/view.ts');
      const views = all.map((listed) => viewOfProvider(listed, opened.settings.url));
      return {
        text: table(
          ['ID', 'KIND', 'STATE', 'ACCOUNTS', 'NAME'],
          views.map(rowOf),
          'There is no identity provider yet: npx console idp add <id> --kind oidc …',
        ),
        json: views,
      };
    },
  },
  {
    name: 'idp show',
    summary: 'Shows one identity provider, without its secrets.',
    positionals: ['<id>'],
    async run(input, { services }) {
      const opened = await services();
      const listed = await (await opened.providerRegistration()).find(input.positionals[0]!);
      return done(listed, opened, '');
    },
  },
  testCommand,
  {
    name: 'idp enable',
    summary: 'Lets people sign in by a disabled identity provider again.',
    positionals: ['<id>'],
    event: 'idp.enabled',
    run: (input, { services }) => setEnabled(input, services, true),
  },
  {
    name: 'idp disable',
    summary: 'Keeps everybody of an identity provider out, and ends their sessions.',
    positionals: ['<id>'],
    event: 'idp.disabled',
    run: (input, { services }) => setEnabled(input, services, false),
  },
  {
    name: 'idp remove',
    summary: 'Removes an identity provider; while it has accounts, only together with them.',
    positionals: ['<id>'],
    flags: flags({
      '[--with-accounts]': 'removes the accounts that came from there too, and ends their sessions',
    }),
    details: [
      'An account belongs to its provider and to nobody else: it goes with it, and a provider that is added under the\n' +
        'same id later begins without accounts. To keep people out for a while, disable it.',
    ],
    asks: (input) =>
      `This removes the identity provider ${input.positionals[0]}${input.has('with-accounts') ? ' with all of its accounts' : ''}.`,
    event: 'idp.removed',
    async run(input, { services }) {
      const removed = input.positionals[0]!;
      const registration = await (await services()).providerRegistration();
      const accounts = await registration.remove(removed, { withAccounts: input.has('with-accounts') });
      const said = accounts === 0 ? '' : ` ${accounts} accounts went with it.`;
      return {
        text: `Removed ${removed}.${said}`,
        json: { id: removed, removed: true, accountsRemoved: accounts },
        target: removed,
      };
    },
  },
];

function kindOf(input: Input): ProviderKind {
  const kind = providerKinds.find((known) => known === input.text('kind'));
  if (kind) return kind;
  throw new UsageError(`--kind is one of ${providerKinds.join(', ')}.`);
}

/** Loaded here: help and the other commands need none of it. */
async function readSettings(
  what: { readonly id: string; readonly kind: ProviderKind },
  said: ProviderInput,
  { outbound, settings, now }: Services,
  before?: Provider,
): Promise<NewProvider> {
  const [{ readProviderInput }, { createInputDeps }] = await Promise.all([
    import('../../federation/providers/reading.ts'),
    import('../../federation/providers/input-deps.ts'),
  ]);
  const deps = createInputDeps({ outbound, url: settings.url, randomBytes, now }, flagCalled);
  return readProviderInput(what, said, deps, before).catch((error: unknown) => {
    if (error instanceof ProviderInputError) throw new UsageError(error.message);
    throw error;
  });
}

function readable({ id: unreadable, provider, problem = '' }: ListedProvider): Provider {
  if (provider) return provider;
  throw new ProblemError(problems.conflict, `The record of ${unreadable} cannot be read: ${problem}.`);
}

async function setEnabled(input: Input, open: () => Promise<Services>, isEnabled: boolean): Promise<Reply> {
  const services = await open();
  const registration = await services.providerRegistration();
  const listed = await registration.setEnabled(input.positionals[0]!, isEnabled);
  return done(listed, services, `${isEnabled ? 'Enabled' : 'Disabled'} ${listed.id}.`);
}

async function done(listed: ListedProvider, { settings }: Services, said: string): Promise<Reply> {
  const { viewOfProvider } = await import('../../federation/providers/view.ts');
  const view = viewOfProvider(listed, settings.url);
  const text = [said, describeProvider(view)].filter((part) => part !== '').join('\n\n');
  return { text, json: view, target: listed.id };
}
