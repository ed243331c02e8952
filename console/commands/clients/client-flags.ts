/** The flags of `client add` and `client update`, and what they say of a client. */
import { changedSet, isSetNamed, readSet, type SetFlags, setFlags } from '../operations/changes.ts';
import { flags, type Input, UsageError } from '../runner/command.ts';
import type { ClientView } from './client-view.ts';

/** Members of the body and the flags by which they are given. */
const flagsOfMembers: Readonly<Record<string, string>> = {
  displayName: 'name',
  scopes: 'scope',
  grants: 'grant',
  isPublic: 'public',
  firstParty: 'first-party',
  redirectUris: 'redirect-uri',
  postLogoutUris: 'post-logout-uri',
  backchannelLogoutUri: 'backchannel-logout-uri',
  frontchannelLogoutUri: 'frontchannel-logout-uri',
  logoUri: 'logo-uri',
  clientUri: 'client-uri',
  pkce: 'pkce',
  maxRoles: 'max-role',
  tokenAlg: 'token-alg',
  tokenTyp: 'token-typ',
  tokenTtlSeconds: 'token-ttl-seconds',
  dpop: 'dpop',
  jwks: 'jwks-file',
  secret: 'secret-file',
  expiresAt: 'expires-at',
  othersEndAt: 'old-ends-at',
};

export function flagOf(member: string): string | undefined {
  const flag = flagsOfMembers[member];
  return flag && `--${flag}`;
}

export const addFlags = flags({
  '[--name "N"]': 'what people see of it (default: the id)',
  '[--public]': 'has no secret: a page, or an application on somebody’s device',
  '[--redirect-uri U …]': 'where people come back to after sign-in: https, or http at loopback',
  '[--post-logout-uri U …]': 'where people may be sent after logout',
  '[--backchannel-logout-uri U]':
    'where the console posts a logout token when a session ends: https, or http at loopback',
  '[--frontchannel-logout-uri U]':
    'what the sign-out page loads in a hidden frame; at the origin of a redirect address',
  '[--logo-uri U]': 'a picture for where people are asked whether they let it in',
  '[--client-uri U]': 'its home page, which the account page leads to',
  '[--grant G …]': 'a grant: authorization_code, refresh_token, client_credentials',
  '[--scope "…" …]': 'scopes that it may ask for, separated by spaces',
  '[--token-alg A]': 'signature of its tokens: RS256, ES256, EdDSA (default: RS256)',
  '[--token-typ T]': 'typ of its access tokens: JWT, at+jwt (default: JWT)',
  '[--token-ttl-seconds N]': 'life of its access tokens (default: CONSOLE_ACCESS_TOKEN_TTL)',
  '[--pkce P]':
    'required, nonce (PKCE or a nonce; the default for clients with a secret) or optional (for those that can do neither)',
  '[--jwks-file F]':
    'public keys in JSON (a JWK Set, or one JWK) by which it proves itself (private_key_jwt): then it gets no secret unless one is given',
  '[--dpop]': 'gets no bearer token: each is bound to a key that it proves to hold (RFC 9449)',
  '[--first-party]': 'people are not asked whether they allow it',
  '[--max-role R …]':
    'the most that it gets of its users’ roles, or none (default: none; with --first-party all that they have)',
});

export const updateFlags = {
  ...flags({ '[--name "N"]': 'what people see of it; none: the id' }),
  ...setFlags(
    'scope',
    '"…"',
    'what it may ask for, separated by spaces; without one that it had, what it has stops working',
  ),
  ...flags({
    '[--jwks-file F]':
      'the public keys by which it proves itself from now on, or none; what it has stops working without one of before',
    '[--dpop]': 'it gets no bearer token any more, and what it has stops working',
    '[--no-dpop]': 'it may choose again',
    '[--first-party]': 'people are not asked any more whether they allow it',
    '[--no-first-party]': 'people are asked whether they allow it',
    '[--pkce P]': 'what it sends with a sign-in: required, nonce (PKCE or a nonce) or optional',
    '[--token-alg A]': 'signature of its tokens from now on: RS256, ES256, EdDSA',
    '[--token-ttl-seconds N]': 'life of its access tokens; none: CONSOLE_ACCESS_TOKEN_TTL',
  }),
  ...setFlags('max-role', 'R', 'a role that it gets of its users’, or none; what it has stops working'),
  ...setFlags(
    'redirect-uri',
    'U',
    'where people come back to; without one that it had, what it has stops working',
  ),
  ...setFlags('post-logout-uri', 'U', 'where people may be sent after logout, or none'),
  ...flags({
    '[--backchannel-logout-uri U]': 'where logout tokens are posted, or none',
    '[--frontchannel-logout-uri U]': 'what the sign-out page loads, or none',
    '[--logo-uri U]': 'a picture for where people are asked, or none',
    '[--client-uri U]': 'its home page, or none',
  }),
};

/** @returns undefined where nothing is said of its keys, null for none. @throws {UsageError} */
export async function keysIn(
  input: Input,
  readFile: (path: string) => Promise<string>,
): Promise<object | null | undefined> {
  const file = textIn(input, 'jwks-file');
  if (file === undefined || file === null) return file;
  try {
    const given: unknown = JSON.parse(await readFile(file));
    if (typeof given === 'object' && given !== null && 'keys' in given) return { keys: given.keys };
    if (typeof given === 'object' && given !== null && 'kty' in given) return { keys: [given] };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new UsageError('--jwks-file is a file with a JWK Set, {"keys": [ … ]}, or with one JWK, in JSON.');
}

/** What a new client is. */
export function definitionIn(input: Input): object {
  return {
    ...present('displayName', input.text('name')),
    ...(input.has('public') && { isPublic: true }),
    ...(input.has('first-party') && { firstParty: true }),
    ...(input.has('dpop') && { dpop: true }),
    ...present('redirectUris', input.texts('redirect-uri')),
    ...present('postLogoutUris', input.texts('post-logout-uri')),
    ...present('backchannelLogoutUri', input.text('backchannel-logout-uri')),
    ...present('frontchannelLogoutUri', input.text('frontchannel-logout-uri')),
    ...present('logoUri', input.text('logo-uri')),
    ...present('clientUri', input.text('client-uri')),
    ...present('grants', input.texts('grant')),
    ...present('scopes', input.texts('scope')?.flatMap(scopesOf)),
    ...present('tokenAlg', input.text('token-alg')),
    ...present('tokenTyp', input.text('token-typ')),
    ...present('tokenTtlSeconds', numberIn(input, 'token-ttl-seconds')),
    ...present('pkce', input.text('pkce')),
    ...present('maxRoles', listed(input.texts('max-role'), 'max-role')),
  };
}

export interface ClientPatch {
  /** Whether it depends on what there is. */
  readonly isRelative: boolean;
  readonly of: (now: ClientView | undefined) => object;
}

/** @throws {UsageError} when nothing is to be changed */
export function patchIn(input: Input, jwks: object | null | undefined): ClientPatch {
  const switches = [switchIn(input, 'dpop', 'dpop'), switchIn(input, 'first-party', 'firstParty')];
  const fixed = {
    ...present('displayName', textIn(input, 'name')),
    ...present('jwks', jwks),
    ...present('pkce', input.text('pkce')),
    ...present('tokenAlg', input.text('token-alg')),
    ...present('tokenTtlSeconds', numberIn(input, 'token-ttl-seconds')),
    ...present('backchannelLogoutUri', textIn(input, 'backchannel-logout-uri')),
    ...present('frontchannelLogoutUri', textIn(input, 'frontchannel-logout-uri')),
    ...present('logoUri', textIn(input, 'logo-uri')),
    ...present('clientUri', textIn(input, 'client-uri')),
    ...Object.assign({}, ...switches),
  };
  const sets = setsIn(input);
  if (Object.keys(fixed).length === 0 && sets.length === 0) {
    throw new UsageError(
      'Say what to change: --name, --scope, --max-role, --pkce, an address, either --dpop or --no-dpop, either --first-party or --no-first-party, or some of these.',
    );
  }
  return {
    isRelative: sets.some(({ said }) => said.all === undefined),
    of: (now) => ({
      ...fixed,
      ...Object.fromEntries(sets.map(({ member, said }) => [member, changedSet(said, setOf(now, member))])),
    }),
  };
}

const setMembers = ['scopes', 'maxRoles', 'redirectUris', 'postLogoutUris'] as const;
type SetMember = (typeof setMembers)[number];

/** @throws {UsageError} where there is no set that one could come to or leave */
function setOf(now: ClientView | undefined, member: SetMember): readonly string[] {
  const set = now === undefined ? [] : now[member];
  if (set !== null) return set;
  throw new UsageError(
    `It has no list of these that one could be added to or taken from: name all of them with --${flagsOfMembers[member]}.`,
  );
}

/** Those of which something is said. */
function setsIn(input: Input): readonly { member: SetMember; said: SetFlags }[] {
  return setMembers.flatMap((member) => {
    const flag = flagsOfMembers[member]!;
    const said = readSet(input, flag, member === 'scopes' ? scopesOf : undefined);
    if (!isSetNamed(said)) return [];
    const mayBeNone = member === 'maxRoles' || member === 'postLogoutUris';
    return [{ member, said: mayBeNone ? { ...said, all: listed(said.all, flag) } : said }];
  });
}

/** `none` alone is an empty list: no role and no address is called so. @throws {UsageError} */
function listed(values: readonly string[] | undefined, flag: string): readonly string[] | undefined {
  if (!values?.includes('none')) return values;
  if (values.length > 1) throw new UsageError(`--${flag} none goes with no other value.`);
  return [];
}

/** `--dpop` or `--no-dpop`. @throws {UsageError} for both */
function switchIn(input: Input, flag: string, member: string): object {
  const [isOn, isOff] = [input.has(flag), input.has(`no-${flag}`)];
  if (isOn && isOff) throw new UsageError(`Say either --${flag} or --no-${flag}.`);
  return isOn || isOff ? { [member]: isOn } : {};
}

/** `none` takes away what is there. */
function textIn(input: Input, flag: string): string | null | undefined {
  const value = input.text(flag);
  return value === 'none' ? null : value;
}

/** @throws {UsageError} */
function numberIn(input: Input, flag: string): number | null | undefined {
  const text = textIn(input, flag);
  if (text === undefined || text === null) return text;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`--${flag} is a number of seconds.`);
}

function scopesOf(text: string): readonly string[] {
  return text.split(' ').filter(Boolean);
}

function present<T>(member: string, value: T | undefined): Readonly<Record<string, T>> {
  return value === undefined ? {} : { [member]: value };
}
