/** What an administrator says of an OpenID Connect provider. */
import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { defined } from '../../../platform/defined.ts';
import { Secret } from '../../../platform/secret.ts';
import { ProviderInputError } from '../errors.ts';
import { oneOf, type ProviderInputDeps, required } from '../providers/input.ts';
import type { ProviderInput } from '../providers/input-schema.ts';
import { idTokenAlgs, type OidcSettings } from '../providers/schema.ts';

const methods = {
  basic: 'client_secret_basic',
  post: 'client_secret_post',
  private_key_jwt: 'private_key_jwt',
  none: 'none',
} as const;

export function readOidc(
  input: ProviderInput,
  { called }: Pick<ProviderInputDeps, 'called'>,
  before: OidcSettings | undefined,
): OidcSettings {
  return defined({
    issuer: required(
      input.issuer ?? before?.issuer,
      `${called('issuer')} is missing: the address before /.well-known/openid-configuration.`,
    ),
    clientId: required(
      input.clientId ?? before?.clientId,
      `${called('clientId')} is missing: what this console is called there.`,
    ),
    authentication: readAuthentication(input, called, before?.authentication),
    endpoints: readEndpoints(input, called, before?.endpoints),
    scopes: readScopes(input) ?? before?.scopes,
    idTokenAlg: oneOf(input.idTokenAlg, idTokenAlgs, called('idTokenAlg')) ?? before?.idTokenAlg,
  });
}

type Called = ProviderInputDeps['called'];
type Authentication = OidcSettings['authentication'];

function readAuthentication(
  input: ProviderInput,
  called: Called,
  before: Authentication | undefined,
): Authentication {
  const { clientAuth, clientSecret, clientKey, clientKeyId } = input;
  const isSilent = [clientAuth, clientSecret, clientKey, clientKeyId].every((value) => value === undefined);
  if (before && isSilent) return before;
  const method = methodOf(input, called, before);
  if (method === 'private_key_jwt') {
    if (clientSecret !== undefined) invalid('clientSecret', 'does not go with');
    if (clientKey !== undefined) return { method, key: readKey(clientKey, clientKeyId, called) };
    if (before?.method === method && clientKeyId === undefined) return before;
    return invalid('clientKey', 'is missing: the private key for');
  }
  if (clientKey !== undefined) invalid('clientKey', 'does not go with');
  if (clientKeyId !== undefined) invalid('clientKeyId', 'does not go with');
  if (method === 'none') {
    if (clientSecret !== undefined) invalid('clientSecret', 'does not go with');
    return { method };
  }
  const storedSecret = before && 'secret' in before ? before.secret : undefined;
  const secret = clientSecret === undefined ? storedSecret : new Secret(clientSecret);
  return secret ? { method, secret } : invalid('clientSecret', 'is missing: the secret for');

  function invalid(field: 'clientSecret' | 'clientKey' | 'clientKeyId', why: string): never {
    throw new ProviderInputError(`${called(field)} ${why} ${called('clientAuth')} ${shorthandOf(method)}.`);
  }
}

function methodOf(
  { clientAuth, clientSecret, clientKey, clientKeyId }: ProviderInput,
  called: Called,
  before: Authentication | undefined,
): Authentication['method'] {
  const shorthand = oneOf(clientAuth, Object.keys(methods) as (keyof typeof methods)[], called('clientAuth'));
  if (shorthand) return methods[shorthand];
  if (clientSecret !== undefined && clientKey !== undefined) {
    throw new ProviderInputError(`${called('clientSecret')} and ${called('clientKey')} do not go together.`);
  }
  if (clientKey !== undefined || (clientKeyId !== undefined && !before)) return 'private_key_jwt';
  if (clientSecret !== undefined)
    return before?.method === 'client_secret_post' ? before.method : methods.basic;
  if (before) return before.method;
  throw new ProviderInputError(
    `Say how the console proves itself there: ${called('clientSecret')}, ${called('clientKey')}, or ${called('clientAuth')} none.`,
  );
}

function shorthandOf(method: Authentication['method']): string {
  return Object.entries(methods).find(([, name]) => name === method)![0];
}

/** PEM or JWK, with the algorithm that its kind of key implies (RFC 7518 §3.1). */
function readKey(text: string, keyId: string | undefined, called: Called): Secret {
  const given = text.trimStart().startsWith('{') ? parseJwk(text, called) : undefined;
  const key = openKey(given ?? text, called);
  const kid = keyId ?? given?.kid;
  return new Secret(JSON.stringify({ ...key.export({ format: 'jwk' }), alg: algOf(key, called), kid }));
}

function parseJwk(text: string, called: Called): JWK {
  try {
    return JSON.parse(text) as JWK;
  } catch {
    throw new ProviderInputError(`${called('clientKey')} begins like a JWK and is not valid JSON.`);
  }
}

/** The library's own message may repeat a piece of the key, so it is not passed on. */
function openKey(key: JWK | string, called: Called): KeyObject {
  try {
    return typeof key === 'string'
      ? createPrivateKey(key)
      : createPrivateKey({ key: key as JsonWebKey, format: 'jwk' });
  } catch {
    throw new ProviderInputError(
      `${called('clientKey')} is no private key: PEM (PKCS #8, not encrypted) or a private JWK is wanted.`,
    );
  }
}

function algOf(key: KeyObject, called: Called): string {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= 2048) return 'RS256';
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return 'ES256';
  if (type === 'ed25519') return 'EdDSA';
  throw new ProviderInputError(`${called('clientKey')} must be RSA of 2048 bits or more, P-256 or Ed25519.`);
}

function readScopes({ scopes }: ProviderInput): readonly string[] | undefined {
  const words = scopes?.flatMap((text) => text.split(' ')).filter((word) => word !== '' && word !== 'openid');
  return words && [...new Set(words)];
}

/** Set by hand where the provider publishes none: then all that a sign-in needs. */
function readEndpoints(
  input: ProviderInput,
  called: Called,
  before: OidcSettings['endpoints'],
): OidcSettings['endpoints'] {
  const given = defined({
    authorization: input.authorizationEndpoint,
    token: input.tokenEndpoint,
    keys: input.jwksUri,
    userinfo: input.userinfoEndpoint,
    endSession: input.endSessionEndpoint,
  });
  if (Object.keys(given).length === 0) return before;
  const { authorization, token, keys, ...others } = { ...before, ...given };
  if (authorization !== undefined && token !== undefined && keys !== undefined) {
    return defined({ authorization, token, keys, ...others });
  }
  const needed = (['authorizationEndpoint', 'tokenEndpoint', 'jwksUri'] as const).map(called);
  throw new ProviderInputError(
    `Addresses by hand are ${needed.join(', ')} together; without any of them they are discovered.`,
  );
}
