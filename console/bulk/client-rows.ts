/** A client as a line of an import or export says it, and as the store has it. */
import { ProblemError } from '../../platform/errors.ts';
import { checkClientSecret, checkNewClient } from '../clients/client-rules.ts';
import { viewOf } from '../clients/client-view.ts';
import { secretDigest } from '../clients/clients.ts';
import type { ClientRecord, ClientSecretRecord } from '../storage/records.ts';
import { clientFields } from './columns.ts';
import { type Allowed, flagOf, listOf, RowError, rejectUnknown, shown, textOf, timeOf } from './fields.ts';
import type { Fields } from './sources/source.ts';

/** @throws {RowError} */
export function readClient(fields: Fields, { now, isRole, checkOutboundUrl }: Allowed): ClientRecord {
  rejectUnknown(fields, clientFields);
  const checked = checkedClient(fields, checkOutboundUrl);
  const unknown = checked.maxRoles?.find((role) => !isRole(role));
  if (unknown !== undefined) throw new RowError(`there is no role ${shown(unknown)}`);
  const at = now();
  const secrets = secretsOf(fields, at);
  if (checked.isPublic && secrets.length > 0) throw new RowError('a public client has no secret');
  return {
    ...checked,
    disabled: flagOf(fields, 'disabled'),
    secrets,
    createdAt: timeOf(fields, 'createdAt', at) ?? at,
  };
}

/** @param withHashes  the digests of its secrets, too */
export function fieldsOfClient(client: ClientRecord, withHashes: boolean): Fields {
  const { secrets: _times, fromSettings: _derived, ...view } = viewOf(client);
  const given = Object.entries(view).filter(([, value]) => value !== null && value !== false);
  return {
    ...Object.fromEntries(given),
    ...optional('tokenTtlSeconds', client.tokenTtlSeconds),
    ...optional('jwks', client.jwks),
    ...(withHashes && !client.isPublic ? { secrets: client.secrets.map(shownSecret) } : {}),
  };
}

function checkedClient(fields: Fields, checkOutboundUrl: Allowed['checkOutboundUrl']) {
  const text = (name: string, as = name) => optional(as, textOf(fields, name));
  const list = (name: string, as = name) => optional(as, listOf(fields, name));
  try {
    return checkNewClient(
      {
        id: textOf(fields, 'id') ?? '',
        isPublic: flagOf(fields, 'public'),
        isFirstParty: flagOf(fields, 'firstParty'),
        dpopBoundAccessTokens: flagOf(fields, 'dpopBoundAccessTokens'),
        ...text('name'),
        ...list('redirectUris'),
        ...list('postLogoutUris', 'postLogoutRedirectUris'),
        ...text('backchannelLogoutUri'),
        ...text('frontchannelLogoutUri'),
        ...text('logoUri'),
        ...text('clientUri'),
        ...list('grants', 'grantTypes'),
        ...list('scopes'),
        ...list('maxRoles'),
        ...text('tokenAlg'),
        ...text('tokenTyp'),
        ...text('pkce'),
        ...optional('tokenTtlSeconds', secondsOf(fields)),
        ...optional('jwks', keysOf(fields)),
      },
      checkOutboundUrl,
    );
  } catch (error) {
    if (error instanceof ProblemError) throw new RowError(error.message.replace(/\.$/, ''));
    throw error;
  }
}

/** Tables have words alone. */
function secondsOf({ tokenTtlSeconds: value }: Fields): number | undefined {
  if (value === undefined || value === null) return undefined;
  const seconds = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof seconds === 'number') return seconds;
  throw new RowError('tokenTtlSeconds is no number');
}

/** A JWK Set; in a table it stands as JSON. */
function keysOf({ jwks: value }: Fields): { readonly keys: readonly unknown[] } | undefined {
  if (value === undefined || value === null) return undefined;
  const given: unknown = typeof value === 'string' ? parsed(value) : value;
  const { keys } = (given ?? {}) as { readonly keys?: unknown };
  if (Array.isArray(keys)) return { keys };
  throw new RowError('jwks is no JWK Set');
}

/** A secret itself, or digests as an export has them; without either it gets none until it is given one. */
function secretsOf(fields: Fields, at: number): readonly ClientSecretRecord[] {
  const secret = textOf(fields, 'secret');
  if (secret !== undefined && fields.secrets !== undefined)
    throw new RowError('secret and secrets exclude each other');
  if (secret !== undefined) return [{ sha256: digestOf(secret), createdAt: at }];
  return digestsIn(fields.secrets ?? []).map((one) => readSecret(one, at));
}

function digestOf(secret: string): string {
  try {
    return secretDigest(checkClientSecret(secret));
  } catch (error) {
    if (error instanceof ProblemError) throw new RowError(error.message.replace(/\.$/, ''));
    throw error;
  }
}

/** In a table they stand as JSON. */
function digestsIn(value: unknown): readonly unknown[] {
  const given: unknown = typeof value === 'string' ? parsed(value) : value;
  if (Array.isArray(given) && given.length <= 2) return given;
  throw new RowError('secrets is no list of at most two');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readSecret(value: unknown, latest: number): ClientSecretRecord {
  const { sha256, createdAt, ...others } = (value ?? {}) as Fields;
  if (typeof sha256 !== 'string' || !/^[\w-]{43}$/.test(sha256) || Object.keys(others).length > 0) {
    throw new RowError('a secret has sha256, in base64url, and createdAt');
  }
  return { sha256, createdAt: timeOf({ createdAt }, 'createdAt', latest) ?? latest };
}

function shownSecret({ sha256, createdAt }: ClientSecretRecord): Fields {
  return { sha256, createdAt: new Date(createdAt).toISOString() };
}

function optional(key: string, value: unknown): Record<string, never> {
  return (value === undefined ? {} : { [key]: value }) as Record<string, never>;
}
