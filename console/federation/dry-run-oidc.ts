/** The steps of a sign-in by an OpenID Connect provider, as far as they go without a person. */
import { createPublicKey } from 'node:crypto';
import type { JWK } from 'jose';
import { ProblemError } from '../errors.ts';
import { OutboundError, type OutboundResponse } from '../http/outbound-exchange.ts';
import { FederationError } from './connector.ts';
import { createDryRun, type DryRun, type DryRunDeps, type DryStep } from './dry-run.ts';
import { createOidcConnector } from './oidc.ts';
import { outboundReasons } from './oidc-errors.ts';
import { callbackAddress, oidcDeps } from './provider-connectors.ts';
import type { OidcProvider } from './provider-records.ts';

type Metadata = Readonly<Record<string, unknown>>;

export async function dryRunOidc(provider: OidcProvider, deps: DryRunDeps): Promise<readonly DryStep[]> {
  const run = createDryRun();
  const metadata = await discover(provider, deps, run);
  if (!metadata || !checkEndpoints(metadata, provider, run)) return run.steps;
  await checkKeys(String(metadata.jwks_uri), provider, deps, run);
  checkOffers(metadata, provider, run);
  await tryRequest(metadata, provider, deps, run);
  return run.steps;
}

async function discover(
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

function checkEndpoints(metadata: Metadata, { oidc: { issuer } }: OidcProvider, run: DryRun): boolean {
  const isLoopbackIssuer = issuer.startsWith('http:');
  const wrong = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'].filter((name) => {
    const address = metadata[name];
    const protocol = typeof address === 'string' && URL.canParse(address) ? new URL(address).protocol : '';
    return protocol !== 'https:' && !(protocol === 'http:' && isLoopbackIssuer);
  });
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

async function checkKeys(
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
  const usable = keys.filter((key) => isUsable(key, idTokenAlg));
  if (usable.length > 0)
    run.ok('key set', `${usable.length} of ${keys.length} keys can verify ${idTokenAlg}`);
  else {
    run.failed(
      'key set',
      `none of ${keys.length} keys can verify ${idTokenAlg}`,
      'Have the provider sign ID tokens so, or name its algorithm with --id-token-alg.',
    );
  }
}

const kinds: Readonly<Record<string, readonly string[]>> = {
  RS256: ['rsa'],
  PS256: ['rsa', 'rsa-pss'],
  ES256: ['ec'],
  EdDSA: ['ed25519'],
};

function isUsable(key: JWK, alg: string): boolean {
  if ((key.use ?? 'sig') !== 'sig' || (key.alg ?? alg) !== alg) return false;
  try {
    const { asymmetricKeyType = '', asymmetricKeyDetails: details } = createPublicKey({
      key,
      format: 'jwk',
    } as never);
    const isStrong = alg.endsWith('S256') && alg !== 'ES256' ? (details?.modulusLength ?? 0) >= 2048 : true;
    const isCurve = alg !== 'ES256' || details?.namedCurve === 'prime256v1';
    return kinds[alg]!.includes(asymmetricKeyType) && isStrong && isCurve;
  } catch {
    return false;
  }
}

/** What the provider says of itself; what it does not say is not held against it. */
function checkOffers(metadata: Metadata, { oidc }: OidcProvider, run: DryRun): void {
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

async function tryRequest(
  metadata: Metadata,
  provider: OidcProvider,
  deps: DryRunDeps,
  run: DryRun,
): Promise<void> {
  const connector = createOidcConnector(oidcDeps(provider, deps));
  const callbackUrl = callbackAddress(deps.url, provider.id);
  const attemptId = deps.randomBytes(18).toString('base64url');
  const begun = await connector
    .begin({ attemptId, callbackUrl, reauthenticate: false })
    .catch((error: unknown) => run.failed('authorization request', messageOf(error), 'See the steps above.'));
  if (!begun) return;
  run.ok('authorization request', 'code flow with PKCE, state and nonce');
  await askAuthorization(begun.location, callbackUrl, deps, run);
  const parameters = new Map([
    ['code', deps.randomBytes(24).toString('base64url')],
    ['state', attemptId],
    ...(metadata.authorization_response_iss_parameter_supported === true
      ? [['iss', provider.oidc.issuer] as const]
      : []),
  ]);
  const refusal = await connector.finish({ callbackUrl, parameters }, begun.secrets).then(
    () => undefined,
    (error: unknown) => error,
  );
  judgeTokenEndpoint(refusal, provider, run);
}

/** As a browser would, without following: a sign-in page, a way to one, or a refusal. */
async function askAuthorization(
  location: string,
  callbackUrl: string,
  deps: DryRunDeps,
  run: DryRun,
): Promise<void> {
  const step = 'authorization endpoint';
  const registration = `At the provider, register ${callbackUrl} as redirect URI of this client; check --client-id.`;
  const answer = await ask(location, deps, 'text/html');
  if ('problem' in answer) {
    run.failed(step, answer.problem, 'Browsers have to reach it; from here it could not be tried.');
    return;
  }
  const { status, headers } = answer.response;
  if (status >= 400) {
    run.failed(step, `refuses with ${status}`, registration);
    return;
  }
  const target = headers.location === undefined ? undefined : new URL(headers.location, location);
  const isBack = target !== undefined && `${target.origin}${target.pathname}` === callbackUrl;
  const error = isBack ? target.searchParams.get('error') : null;
  if (error === null) run.ok(step, target ? 'sends on to a sign-in' : 'shows a page');
  else
    run.failed(
      step,
      `refuses: ${shownCode(error)}`,
      error === 'invalid_scope' ? 'Change --scope.' : registration,
    );
}

/** A made-up code is worth nothing; that it is looked at means that the client was believed. */
function judgeTokenEndpoint(refusal: unknown, { oidc: { authentication } }: OidcProvider, run: DryRun): void {
  const step = 'token endpoint';
  const codes = causesOf(refusal).flatMap((cause) => ('error' in cause ? [String(cause.error)] : []));
  const isChallenged = causesOf(refusal).some(({ name }) => name === 'WWWAuthenticateChallengeError');
  if (codes.includes('invalid_grant')) {
    run.ok(step, `believes this client (${authentication.method}) and refuses a made-up code`);
  } else if (isChallenged || codes.includes('invalid_client') || codes.includes('unauthorized_client')) {
    const what = authentication.method === 'private_key_jwt' ? 'public key' : 'secret';
    run.failed(
      step,
      `does not believe this client (${authentication.method})`,
      `Compare --client-id, --client-auth and the ${what} with what is registered at the provider.`,
    );
  } else if (codes.length > 0) {
    run.failed(
      step,
      `answers ${shownCode(codes[0]!)} to a made-up code`,
      'invalid_grant was expected: ask its administrator.',
    );
  } else {
    run.failed(step, messageOf(refusal), 'This machine has to reach the token endpoint.');
  }
}

type Asked = { readonly response: OutboundResponse } | { readonly problem: string };

async function ask(url: string, { outbound }: DryRunDeps, accept: string): Promise<Asked> {
  try {
    return { response: await outbound.send({ url, headers: { Accept: accept } }) };
  } catch (error) {
    if (error instanceof OutboundError) return { problem: outboundReasons[error.reason] };
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

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && causes.length < 8; at = at.cause) causes.push(at);
  return causes;
}

function messageOf(error: unknown): string {
  if (error instanceof FederationError) return error.message;
  throw error;
}

/** A code comes from outside and may be anything. */
function shownCode(code: string): string {
  return /^[a-z_]{1,40}$/.test(code) ? code : 'something that is no error code';
}
