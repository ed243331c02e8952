/** What an OpenID Connect provider says of itself, step by step. */
import { createLocalJWKSet, type JWK } from 'jose';
import { ProblemError } from '../../../platform/errors.ts';
import { reasonInWords } from '../../../platform/names/network-reason.ts';
import { OutboundError, type OutboundResponse } from '../../http/outbound/outbound-exchange.ts';
import type { DryRun, DryRunDeps } from '../dry-run.ts';
import type { OidcProvider } from '../providers/schema.ts';
import { isBrowserAddress } from './metadata.ts';

export type Metadata = Readonly<Record<string, unknown>>;

/** @returns undefined when there is nothing to go on with */
export async function discover(
  { oidc: { issuer, endpoints } }: OidcProvider,
  deps: DryRunDeps,
  run: DryRun,
): Promise<Metadata | undefined> {
  if (endpoints) {
    run.ok('discovery', 'not asked for: the addresses were given by hand');
    const { authorization, token, keys } = endpoints;
    return { issuer, authorization_endpoint: authorization, token_endpoint: token, jwks_uri: keys };
  }
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = await fetchJson(address, deps);
  if ('problem' in found) {
    return run.failed(
      'discovery',
      `${address}: ${found.problem}`,
      'Check --issuer, and that this machine reaches it.',
    );
  }
  run.ok('discovery', address);
  if (found.json.issuer === issuer) run.ok('issuer', issuer);
  else {
    const named = typeof found.json.issuer === 'string' ? found.json.issuer : 'nothing';
    return run.failed(
      'issuer',
      `the provider calls itself ${named}, and ${issuer} is configured`,
      'Give --issuer exactly as the provider writes it, to the slash at its end.',
    );
  }
  return found.json;
}

export function checkEndpoints(metadata: Metadata, { oidc: { issuer } }: OidcProvider, run: DryRun): boolean {
  const isLoopbackIssuer = issuer.startsWith('http:');
  const names = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'];
  const wrong = names.filter((name) => !isBrowserAddress(issuer, String(metadata[name])));
  if (wrong.length === 0) {
    run.ok('endpoints', isLoopbackIssuer ? 'http at loopback, as the issuer' : 'all of them are https');
    return true;
  }
  run.failed(
    'endpoints',
    `${wrong.join(', ')}: missing, or not https`,
    'The provider has to publish https addresses.',
  );
  return false;
}

export async function checkKeys(
  address: string,
  { oidc: { idTokenAlg = 'RS256' } }: OidcProvider,
  deps: DryRunDeps,
  run: DryRun,
): Promise<void> {
  const found = await fetchJson(address, deps);
  if ('problem' in found) {
    run.failed(
      'key set',
      `${address}: ${found.problem}`,
      'The provider has to serve its keys (jwks_uri) to this machine.',
    );
    return;
  }
  const keys = Array.isArray(found.json.keys) ? (found.json.keys as JWK[]) : [];
  const usable = (await Promise.all(keys.map((key) => isUsable(key, idTokenAlg)))).filter(Boolean).length;
  if (usable > 0) run.ok('key set', `${usable} of ${keys.length} keys can verify ${idTokenAlg}`);
  else {
    run.failed(
      'key set',
      `none of ${keys.length} keys can verify ${idTokenAlg}`,
      'Have the provider sign ID tokens so, or name its algorithm with --id-token-alg.',
    );
  }
}

/** As at a sign-in: by the library that verifies ID tokens there. */
async function isUsable(key: JWK, alg: string): Promise<boolean> {
  try {
    const { algorithm } = await createLocalJWKSet({ keys: [key] })({ alg });
    return !('modulusLength' in algorithm) || Number(algorithm.modulusLength) >= 2048;
  } catch {
    return false;
  }
}

/** What the provider says of itself; what it does not say is not held against it. */
export function checkOffers(metadata: Metadata, { oidc }: OidcProvider, run: DryRun): void {
  const { authentication, scopes = ['email', 'profile'], idTokenAlg = 'RS256' } = oidc;
  const wanted = [
    ['id_token_signing_alg_values_supported', [idTokenAlg], '--id-token-alg'],
    ['token_endpoint_auth_methods_supported', [authentication.method], '--client-auth'],
    ['scopes_supported', ['openid', ...scopes], '--scope'],
    ['code_challenge_methods_supported', ['S256'], undefined],
  ] as const;
  for (const [name, values, flag] of wanted) {
    const offered = metadata[name];
    if (!Array.isArray(offered)) continue;
    const missing = values.filter((value) => !offered.includes(value));
    if (missing.length === 0) run.ok(name, values.join(' '));
    else {
      const advice = flag
        ? `Choose with ${flag} what it offers, or have it offer that.`
        : 'The provider has to offer it.';
      run.failed(name, `the provider does not offer ${missing.join(' ')}`, advice);
    }
  }
}

type Asked = { readonly response: OutboundResponse } | { readonly problem: string };

export async function ask(url: string, { outbound }: DryRunDeps, accept: string): Promise<Asked> {
  try {
    return { response: await outbound.send({ url, headers: { Accept: accept } }) };
  } catch (error) {
    if (error instanceof OutboundError) return { problem: reasonInWords(error.reason) };
    if (error instanceof ProblemError) return { problem: error.message };
    throw error;
  }
}

async function fetchJson(
  url: string,
  deps: DryRunDeps,
): Promise<{ readonly json: Metadata } | { readonly problem: string }> {
  const asked = await ask(url, deps, 'application/json');
  if ('problem' in asked) return asked;
  if (asked.response.status !== 200) return { problem: `the answer was ${asked.response.status}` };
  try {
    const json: unknown = JSON.parse(asked.response.body);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { json: json as Metadata };
  } catch {
    // said below
  }
  return { problem: 'the answer is no JSON object' };
}
