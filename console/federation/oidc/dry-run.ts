/** The steps of a sign-in by an OpenID Connect provider, as far as they go without a person. */
import { FederationError } from '../connector.ts';
import { createDryRun, type DryRun, type DryRunDeps, type DryStep } from '../dry-run.ts';
import { callbackAddress, oidcDeps } from '../providers/connectors.ts';
import type { OidcProvider } from '../providers/schema.ts';
import { createOidcConnector } from './connector.ts';
import { ask, checkEndpoints, checkKeys, checkOffers, discover, type Metadata } from './dry-run-metadata.ts';
import { causesOf } from './errors.ts';

export async function dryRunOidc(provider: OidcProvider, deps: DryRunDeps): Promise<readonly DryStep[]> {
  const run = createDryRun();
  const metadata = await discover(provider, deps, run);
  if (!metadata || !checkEndpoints(metadata, provider, run)) return run.steps;
  await checkKeys(String(metadata.jwks_uri), provider, deps, run);
  checkOffers(metadata, provider, run);
  await tryRequest(metadata, provider, deps, run);
  return run.steps;
}

async function tryRequest(
  metadata: Metadata,
  provider: OidcProvider,
  deps: DryRunDeps,
  run: DryRun,
): Promise<void> {
  const connector = createOidcConnector(oidcDeps(provider, deps));
  const callbackUrl = callbackAddress(deps.url, provider.id);
  const stateId = deps.randomBytes(18).toString('base64url');
  const begun = await connector
    .begin({ stateId, callbackUrl, reauthenticate: false })
    .catch((error: unknown) => run.failed('authorization request', messageOf(error), 'See the steps above.'));
  if (!begun) return;
  run.ok('authorization request', 'code flow with PKCE, state and nonce');
  await askAuthorization(begun.location, callbackUrl, deps, run);
  const parameters = new Map([
    ['code', deps.randomBytes(24).toString('base64url')],
    ['state', stateId],
    ...(metadata.authorization_response_iss_parameter_supported === true
      ? [['iss', provider.oidc.issuer] as const]
      : []),
  ]);
  await connector.finish({ callbackUrl, parameters }, begun.secrets).then(
    () =>
      run.failed(
        'token endpoint',
        'takes a made-up code, and signs somebody in by it',
        'Let nobody sign in by this provider: it would take any code of anybody.',
      ),
    (rejection: unknown) => validateTokenEndpoint(rejection, provider, run),
  );
}

/** As a browser would, without following: a sign-in page, a way to one, or an error. */
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
  if (headers.location !== undefined && !URL.canParse(headers.location, location)) {
    run.failed(step, 'sends to what is no address', 'Ask the administrator of the provider.');
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
function validateTokenEndpoint(
  rejection: unknown,
  { oidc: { authentication } }: OidcProvider,
  run: DryRun,
): void {
  const step = 'token endpoint';
  const codes = causesOf(rejection).flatMap((cause) => ('error' in cause ? [String(cause.error)] : []));
  const isChallenged = causesOf(rejection).some(({ name }) => name === 'WWWAuthenticateChallengeError');
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
    run.failed(step, messageOf(rejection), 'This machine has to reach the token endpoint.');
  }
}

function messageOf(error: unknown): string {
  if (error instanceof FederationError) return error.message;
  throw error;
}

/** A code comes from outside and may be anything. */
function shownCode(code: string): string {
  return /^[a-z_]{1,40}$/.test(code) ? code : 'something that is no error code';
}
