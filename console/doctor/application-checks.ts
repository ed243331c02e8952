/** The public addresses of the application (`svc.mc.app.addresses`): does the running console know them, do browsers get there. */
import { createHash, randomBytes } from 'node:crypto';
import { dashboardCommand } from '../../platform/installation.ts';
import { statusOf } from './console-checks.ts';
import { about, type Finding } from './finding.ts';
import { type Probe, ProbeError } from './probe.ts';

export interface ApplicationChecksDeps {
  readonly probe: Probe;
  /** CONSOLE_URL. */
  readonly url: string;
  readonly addresses: readonly string[];
  /** Whether nothing says where the application runs, or that there is one. */
  readonly isAssumed: boolean;
  readonly clientId: string;
  /** Whether the console answers at its address. */
  readonly isConsoleThere: boolean;
}

const follow = 'Correct SVC_MC_APP_ADDRESSES, and restart the console when it runs with other settings.';

export async function checkApplication(deps: ApplicationChecksDeps): Promise<readonly Finding[]> {
  const { addresses, isConsoleThere } = deps;
  const findings: Finding[] = [];
  for (const address of addresses) {
    findings.push(await checkAddress(deps, address));
    if (!isConsoleThere) continue;
    findings.push(await checkPreflight(deps, address), await checkRedirect(deps, address));
  }
  if (isConsoleThere) findings.push(await checkForeignOrigin(deps));
  return findings;
}

async function checkAddress({ probe, isAssumed }: ApplicationChecksDeps, address: string): Promise<Finding> {
  const say = about(`application ${address}`);
  if (new URL(address).origin !== address)
    return say.problem(
      'It has a path; browsers send origins without one.',
      `Name ${new URL(address).origin} in SVC_MC_APP_ADDRESSES.`,
    );
  const status = await statusOf(probe, `${address}/`);
  if (typeof status === 'number' && status < 500) return say.ok('It answers.');
  const what = typeof status === 'number' ? `It answers ${status}.` : `Nobody answers there (${status}).`;
  const start = `Start the application (${dashboardCommand()})`;
  if (isAssumed)
    return say.warning(
      what,
      `${start}, or say with SVC_MC_APP_ADDRESSES where it runs; none, if there is none.`,
    );
  return say.problem(what, `${start}, or correct SVC_MC_APP_ADDRESSES.`);
}

/** Fetch, CORS preflight: without it the pages of the application cannot call the console. */
async function checkPreflight(deps: ApplicationChecksDeps, address: string): Promise<Finding> {
  const say = about(`CORS for ${address}`);
  const { origin } = new URL(address);
  const allowed = await allowedOrigin(deps, origin);
  if (allowed === origin) return say.ok('Pages of this origin may call the console.');
  return say.problem(`The running console does not let pages of ${origin} call it.`, follow);
}

async function checkForeignOrigin(deps: ApplicationChecksDeps): Promise<Finding> {
  const say = about('CORS for others');
  // A name that nobody can register (RFC 2606 §2).
  const allowed = await allowedOrigin(deps, 'https://foreign.invalid');
  if (allowed === null) return say.ok('Pages of an unknown origin may not.');
  return say.problem(
    `An unknown origin is answered with Access-Control-Allow-Origin: ${allowed}.`,
    'Let the proxy in front add no CORS fields of its own: the console does.',
  );
}

async function allowedOrigin({ probe, url }: ApplicationChecksDeps, origin: string): Promise<string | null> {
  const headers = {
    Origin: origin,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization',
  };
  return unlessUnreachable(async () => {
    const answer = await probe(`${url}/oauth2/token`, { method: 'OPTIONS', headers });
    return answer.headers.get('access-control-allow-origin');
  });
}

/** A sign-in that may not ask anything: whoever is known is sent back with an error, others get a page. */
async function checkRedirect(
  { probe, url, clientId }: ApplicationChecksDeps,
  address: string,
): Promise<Finding> {
  const say = about(`sign-in for ${address}`);
  const redirectUri = `${address}/login/callback`;
  const parameters = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    scope: 'openid',
    prompt: 'none',
    state: 'doctor',
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const location = await unlessUnreachable(async () =>
    (await probe(`${url}/oauth2/authorize?${parameters}`)).headers.get('location'),
  );
  if (location?.startsWith(`${redirectUri}?`))
    return say.ok(`The console sends browsers back to ${redirectUri}.`);
  return say.problem(`The running console does not know the redirect address ${redirectUri}.`, follow);
}

async function unlessUnreachable(ask: () => Promise<string | null>): Promise<string | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ProbeError) return null;
    throw error;
  }
}
