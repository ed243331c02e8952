import { ProblemError, problems } from '../../platform/errors.ts';
import type { ClientChange } from '../clients/client-change.ts';
import { nameOfClient } from '../clients/client-name.ts';
import type { ClientWithSecret } from '../clients/client-registration.ts';
import { grantTypes, type NewClient, tokenTyps } from '../clients/client-rules.ts';
import { viewOf } from '../clients/client-view.ts';
import type { Clients } from '../clients/clients.ts';
import { pkcePolicyOf } from '../clients/pkce.ts';
import { tokenAlgs } from '../keys/keys.ts';
import type { ClientRecord } from '../storage/records.ts';
import { ceilingInWords, describe, kindOf, pkceInWords, stateOf, timeOfUse } from './client-view.ts';
import { type Command, flags, type Input, type Reply, UsageError } from './runner/command.ts';
import { table } from './runner/output.ts';

const secretFlag = {
  '[--secret-file F]':
    'the file that holds the secret; - is standard input (default: a random one, shown once)',
};

export const clientCommands: readonly Command[] = [
  {
    name: 'client add',
    summary: 'Registers an application or a machine, and shows its secret once.',
    positionals: ['<id>'],
    flags: flags({
      '[--name "N"]': 'what people see of it (default: the id)',
      '[--public]': 'has no secret: a page, or an application on somebody’s device',
      '[--redirect-uri U …]': 'where people come back to after sign-in: https, or http at loopback',
      '[--post-logout-uri U …]': 'where people may be sent after logout',
      '[--backchannel-logout-uri U]':
        'where the console posts a logout token when a session ends: https, or http at loopback',
      '[--frontchannel-logout-uri U]':
        'what the sign-out page loads in a hidden frame; at the origin of a redirect address',
      '[--grant G …]': `a grant: ${grantTypes.join(', ')}`,
      '[--scope "…" …]': 'scopes that it may ask for, separated by spaces',
      ...secretFlag,
      '[--token-alg A]': `signature of its tokens: ${tokenAlgs.join(', ')} (default: ${tokenAlgs[0]})`,
      '[--token-typ T]': `typ of its access tokens: ${tokenTyps.join(', ')} (default: ${tokenTyps[0]})`,
      '[--pkce P]':
        'required, nonce (PKCE or a nonce; the default for clients with a secret) or optional (for those that can do neither)',
      '[--dpop]': 'gets no bearer token: each is bound to a key that it proves to hold (RFC 9449)',
      '[--first-party]': 'people are not asked whether they allow it',
      '[--max-role R …]':
        'the most that it gets of its users’ roles, or none (default: none; with --first-party all that they have)',
    }),
    details: [
      'With a redirect address it signs people in (authorization_code, refresh_token); without one it is a machine\n' +
        '(client_credentials) that gets exactly the scopes named here and has to ask for them.',
      'Scopes: openid, profile, email, offline_access, app:Viewer, app:MetricsViewer; for machines also\n' +
        'api:revocations:read and api:refusals:write (for a member proxy that is a process of its own),\n' +
        'svc:<group>:read and :write (cluster, health, data, wan, cp, persistence), svc:map:<name>:read and :write, and\n' +
        'svc:queue:<name>:offer, :poll and :size, where <name> may end in *.',
    ],
    event: 'client.added',
    async run(input, { services, readSecret }) {
      const secret = await readGivenSecret(input, readSecret);
      const { registration } = await services({ creates: true });
      const newClient: NewClient = {
        id: input.positionals[0]!,
        isPublic: input.has('public'),
        isFirstParty: input.has('first-party'),
        dpopBoundAccessTokens: input.has('dpop'),
        redirectUris: input.texts('redirect-uri') ?? [],
        postLogoutRedirectUris: input.texts('post-logout-uri') ?? [],
        ...optional('name', input.text('name')),
        ...optional('backchannelLogoutUri', input.text('backchannel-logout-uri')),
        ...optional('frontchannelLogoutUri', input.text('frontchannel-logout-uri')),
        ...optional('grantTypes', input.texts('grant')),
        ...optional('scopes', scopesIn(input)),
        ...optional('tokenAlg', input.text('token-alg')),
        ...optional('tokenTyp', input.text('token-typ')),
        ...optional('pkce', input.text('pkce')),
        ...optional('maxRoles', textsIn(input, 'max-role')),
      };
      const registered = await registration.add(newClient, { secret });
      return withSecret(registered, `Registered ${registered.client.id}.`);
    },
  },
  {
    name: 'client list',
    summary: 'Lists the clients, those that follow from the settings too.',
    async run(_input, { services }) {
      const { clients, clientUses } = await services();
      const all = await everyClient(clients);
      const useOf = await clientUses.readOf(all);
      const rows = all.map((client) => {
        const lastUse = timeOfUse(useOf(client).lastUsedAt);
        const { id: shownId, name = '' } = client;
        return [shownId, name, kindOf(client), stateOf(client), lastUse, client.scopes.join(' ')];
      });
      return {
        text: table(['ID', 'NAME', 'KIND', 'STATE', 'LAST USED', 'SCOPES'], rows, ''),
        json: all.map((client) => viewOf(client, useOf(client))),
      };
    },
  },
  {
    name: 'client show',
    summary: 'Shows one client.',
    positionals: ['<id>'],
    async run(input, { services }) {
      const { clients, clientUses } = await services();
      const client = await clients.find(input.positionals[0]!);
      if (!client) {
        throw new ProblemError(
          problems.notFound,
          'There is no client of this id. npx console client list shows them all.',
        );
      }
      const use = (await clientUses.readOf([client]))(client);
      return { text: describe(client, use), json: viewOf(client, use) };
    },
  },
  {
    name: 'client update',
    summary: 'Changes a client: its name, scopes, roles or addresses, or how it has to prove itself.',
    positionals: ['<id>'],
    details: [
      'A flag that may be repeated names all of them from then on, and none takes them away. What the client has stops\n' +
        'working when a scope, a role or a redirect address is gone, and with --dpop.',
    ],
    flags: flags({
      '[--name "N"]': 'what people see of it; none: the id',
      '[--scope "…" …]':
        'all scopes that it may ask for from now on; without one that it had, what it has stops working',
      '[--dpop]': 'it gets no bearer token any more, and what it has stops working',
      '[--no-dpop]': 'it may choose again',
      '[--pkce P]': 'what it sends with a sign-in: required, nonce (PKCE or a nonce) or optional',
      '[--max-role R …]':
        'all that it gets of its users’ roles from now on, or none; what it has stops working',
      '[--redirect-uri U …]':
        'all addresses where people come back to; without one that it had, what it has stops working',
      '[--post-logout-uri U …]': 'all addresses where people may be sent after logout, or none',
      '[--backchannel-logout-uri U]': 'where logout tokens are posted, or none',
      '[--frontchannel-logout-uri U]': 'what the sign-out page loads, or none',
    }),
    event: 'client.updated',
    async run(input, { services }) {
      const change = changeIn(input);
      const { client } = await (await services()).registration.update(input.positionals[0]!, change);
      return done(client, inWords(client, change));
    },
  },
  {
    name: 'client rotate-secret',
    summary: 'Gives a client a new secret; the old one works until the next rotation.',
    positionals: ['<id>'],
    flags: flags({ ...secretFlag, '[--revoke-old]': 'the old secret ends now' }),
    event: 'client.secret_rotated',
    async run(input, { services, readSecret }) {
      const secret = await readGivenSecret(input, readSecret);
      const { registration } = await services();
      const revokesOld = input.has('revoke-old');
      const ends = revokesOld ? 'all' : 'oldest';
      const registered = await registration.addSecret(input.positionals[0]!, { secret, ends });
      const said = revokesOld
        ? 'The old secret does not work any more.'
        : 'The old secret works until the next rotation.';
      return withSecret(registered, `New secret for ${registered.client.id}. ${said}`);
    },
  },
  {
    name: 'client disable',
    summary: 'Refuses a client and every token that it has.',
    positionals: ['<id>'],
    event: 'client.disabled',
    async run(input, { services }) {
      const { client } = await (await services()).registration.setDisabled(input.positionals[0]!, true);
      return done(client, `Disabled ${client.id}.`);
    },
  },
  {
    name: 'client enable',
    summary: 'Lets a disabled client work again.',
    positionals: ['<id>'],
    event: 'client.enabled',
    async run(input, { services }) {
      const { client } = await (await services()).registration.setDisabled(input.positionals[0]!, false);
      return done(client, `Enabled ${client.id}.`);
    },
  },
  {
    name: 'client remove',
    summary: 'Removes a client; every token that it has stops working.',
    positionals: ['<id>'],
    asks: ({ positionals }) =>
      `This removes the client ${positionals[0]}, and every token that it has stops working.`,
    event: 'client.removed',
    async run({ positionals }, { services }) {
      const removed = positionals[0]!;
      await (await services()).registration.remove(removed);
      return { text: `Removed ${removed}.`, json: { id: removed, removed: true }, target: removed };
    },
  },
];

function changeIn(input: Input): ClientChange {
  const [isBound, isFree] = [input.has('dpop'), input.has('no-dpop')];
  const scopes = scopesIn(input);
  const pkce = input.text('pkce');
  const change: ClientChange = {
    ...optional('name', textIn(input, 'name')),
    ...optional('scopes', scopes),
    ...optional('pkce', pkce),
    ...optional('maxRoles', textsIn(input, 'max-role')),
    ...optional('redirectUris', input.texts('redirect-uri')),
    ...optional('postLogoutRedirectUris', textsIn(input, 'post-logout-uri')),
    ...optional('backchannelLogoutUri', textIn(input, 'backchannel-logout-uri')),
    ...optional('frontchannelLogoutUri', textIn(input, 'frontchannel-logout-uri')),
    ...(isBound || isFree ? { dpopBoundAccessTokens: isBound } : {}),
  };
  if ((isBound && isFree) || Object.keys(change).length === 0) {
    throw new UsageError(
      'Say what to change: --name, --scope, --max-role, --pkce, an address, and either --dpop or --no-dpop, or some of these.',
    );
  }
  return change;
}

function inWords(client: ClientRecord, change: ClientChange): string {
  const { id: changed, scopes } = client;
  const said: string[] = [];
  if (change.scopes) said.push(`${changed} may ask for: ${scopes.join(' ') || 'nothing'}.`);
  if (change.dpopBoundAccessTokens === true) said.push(`${changed} needs a DPoP proof for every token now.`);
  if (change.dpopBoundAccessTokens === false) said.push(`${changed} may have bearer tokens now.`);
  if (change.pkce !== undefined) said.push(`PKCE at ${changed}: ${pkceInWords[pkcePolicyOf(client)]}.`);
  if (change.name !== undefined) said.push(`People see ${changed} as ${nameOfClient(client)}.`);
  if (change.redirectUris) said.push(`People come back to: ${client.redirectUris.join(' ')}.`);
  if (change.postLogoutRedirectUris) {
    said.push(`After logout they may be sent to: ${client.postLogoutRedirectUris.join(' ') || 'nowhere'}.`);
  }
  if (change.backchannelLogoutUri !== undefined) {
    said.push(`Logout tokens are posted to: ${client.backchannelLogoutUri ?? 'nowhere'}.`);
  }
  if (change.frontchannelLogoutUri !== undefined) {
    said.push(`The sign-out page loads: ${client.frontchannelLogoutUri ?? 'nothing of it'}.`);
  }
  if (change.maxRoles !== undefined)
    said.push(`Roles that ${changed} gets at most: ${ceilingInWords(client)}.`);
  return said.join('\n');
}

/** `none` alone is an empty list: no role and no address is called so. */
function textsIn(input: Input, flag: string): readonly string[] | undefined {
  const values = input.texts(flag);
  if (!values?.includes('none')) return values;
  if (values.length > 1) throw new UsageError(`--${flag} none goes with no other value.`);
  return [];
}

/** `none` is an empty text, which takes away what is there. */
function textIn(input: Input, flag: string): string | undefined {
  const value = input.text(flag);
  return value === 'none' ? '' : value;
}

function scopesIn(input: Input): readonly string[] | undefined {
  return input.texts('scope')?.flatMap((text) => text.split(' ').filter(Boolean));
}

async function readGivenSecret(
  input: Input,
  readSecret: (path: string) => Promise<string>,
): Promise<string | undefined> {
  const file = input.text('secret-file');
  return file === undefined ? undefined : await readSecret(file);
}

/** A secret that was given is not repeated; one that was made here is shown this once (S54). */
function withSecret({ client, made }: ClientWithSecret, said: string): Reply {
  if (!made?.isRandom) return done(client, said);
  return {
    text: `${said}\nIts secret, shown only now:\n\n  ${made.secret}\n`,
    json: { ...viewOf(client), secret: made.secret },
    target: client.id,
  };
}

function done(client: ClientRecord, text: string): Reply {
  return { text, json: viewOf(client), target: client.id };
}

function optional<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: T });
}

async function everyClient({ page }: Pick<Clients, 'page'>): Promise<readonly ClientRecord[]> {
  const all: ClientRecord[] = [];
  let after: string | undefined;
  do {
    const { records, next } = await page({ limit: 500, after });
    all.push(...records);
    after = next;
  } while (after !== undefined);
  return all;
}
