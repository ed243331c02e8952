/** The dashboard as a process: settings, deps, listen; and a graceful stop. Exit codes: 0 stopped, 1 failed, 78 bad settings. */
import '../platform/no-prototype-access.ts';
import '../http/strict-tls.ts';
import { randomBytes } from 'node:crypto';
import { answersQuestion } from '../platform/program-questions.ts';
import { createApp } from './app.ts';
import { createExamine } from './examination.ts';
import { createCookies } from './http/cookies.ts';
import { createErrorResponses } from './http/error-responses.tsx';
import { createOwnAddresses } from './http/own-address.ts';
import { createSendPage } from './http/pages.ts';
import { createStaticFiles } from './http/static.ts';
import { createCheckAccessToken } from './identity/access-tokens.ts';
import { createAuthorizationStates } from './identity/authorization-states.ts';
import { createConsoleFetch } from './identity/console-fetch.ts';
import { createCheckLogoutToken } from './identity/logout-tokens.ts';
import { createRelyingParty } from './identity/relying-party.ts';
import { createRenewal } from './identity/renewal.ts';
import { createSessions } from './identity/sessions.ts';
import { createCheckSigned } from './identity/signed-tokens.ts';
import { createLicences } from './licences.ts';
import { listen } from './listen.ts';
import { createLogger, type Logger } from './log.ts';
import { createCluster } from './metrics/cluster.ts';
import { createHistory } from './metrics/history.ts';
import { createSampler } from './metrics/sampler.ts';
import { createApi } from './routes/api.ts';
import { createBackChannel } from './routes/back-channel.ts';
import { createCurrentSession } from './routes/current-session.ts';
import { createDoctor } from './routes/doctor.ts';
import { createLicenceReceiver } from './routes/licence.ts';
import { createOverview } from './routes/overview.tsx';
import { createProbes } from './routes/probes.ts';
import { createSignIn } from './routes/sign-in.tsx';
import { loadSettings, type Settings, SettingsError } from './settings.ts';

/** As the console registers this application by itself (docs/surface.md#applications). */
const clientId = 'application-dashboard';
const consoleTimeoutMs = 10_000;
/** Requests under way get this long after SIGTERM. */
const drainMs = 10_000;

const usage = `cluster-console-dashboard starts the reference dashboard. Its settings are properties, in the environment or as
arguments: --app.security.openIdp.issuerUrl=https://console.example.com (docs/dashboard.md has them all).`;

try {
  const argv = process.argv.slice(2);
  if (!answersQuestion(argv, () => usage)) await run(loadSettings(process.env, argv));
} catch (error) {
  process.exitCode = explainFailure(error);
}

async function run(settings: Settings): Promise<void> {
  const log = createLogger();
  const { app, probes } = compose(settings, log);
  const drain = await listen({ host: settings.host, port: settings.port, handle: app.callback() });
  process.stdout.write(`dashboard ready at ${settings.addresses[0]}, signing in at ${settings.issuer}\n`);

  let isStopping = false;
  const stop = async (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    probes.drain();
    await drain(drainMs);
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
}

function compose(settings: Settings, log: Logger) {
  const { issuer, jwksUri, queues, entries } = settings;
  const now = Date.now;
  const newId = () => randomBytes(24).toString('base64url');
  const fetchFromConsole = createConsoleFetch({ issuer, jwksUri, fetch, timeoutMs: consoleTimeoutMs });
  const relyingParty = createRelyingParty({ ...settings, clientId, fetch: fetchFromConsole });
  const checkSigned = createCheckSigned({ issuer, jwksUri, fetch: fetchFromConsole, now });
  const checkAccessToken = createCheckAccessToken(checkSigned, settings.audience);
  const checkLogoutToken = createCheckLogoutToken({ checkSigned, clientId, now });
  const licences = createLicences(checkSigned, clientId);
  const examine = createExamine({ settings, clientId, checkSigned, fetch: fetchFromConsole, now });
  const cluster = createCluster({ issuer, fetch: fetchFromConsole });

  const sessions = createSessions({ now, newId });
  const renewal = createRenewal({
    relyingParty,
    checkAccessToken,
    sessions,
    renewBeforeSeconds: settings.renewBeforeSeconds,
    now,
    onEnd: ({ subject }, reason) =>
      log.info({ subject, reason }, 'session ended with the one at the console'),
  });
  const history = createHistory();
  const sampler = createSampler({ cluster, renewal, history, now, elapsed: () => performance.now() });

  const addresses = createOwnAddresses(settings.addresses);
  const cookies = createCookies(addresses);
  const sendPage = createSendPage({ issuer, addresses });
  const currentSession = createCurrentSession({ cookies, sessions, addresses });
  const states = createAuthorizationStates({ now });
  const shared = {
    relyingParty,
    sessions,
    checkAccessToken,
    cookies,
    addresses,
    currentSession,
    initiallyWatched: { queues, entries },
    sendPage,
    log,
  };
  const probes = createProbes(relyingParty);

  const app = createApp({
    addresses,
    answerErrors: createErrorResponses({ sendPage, log }),
    sendStatic: createStaticFiles(),
    signIn: createSignIn({ ...shared, states, newId }),
    overview: createOverview({ currentSession, sampler, cluster, history, licences, issuer, sendPage, now }),
    api: createApi({ checkAccessToken, cluster, licences, queues }),
    receiveLogout: createBackChannel({ checkLogoutToken, sessions, log }),
    receiveLicence: createLicenceReceiver({ licences, log }),
    answerDoctor: createDoctor(examine),
    probes,
  });
  return { app, probes };
}

/** @returns the exit code */
function explainFailure(error: unknown): number {
  if (error instanceof SettingsError) {
    process.stderr.write(
      `These settings cannot be started with:\n${error.problems.map((line) => `  - ${line}\n`).join('')}`,
    );
    return 78;
  }
  const { code, message } = error as NodeJS.ErrnoException;
  process.stderr.write(
    code === 'EADDRINUSE'
      ? 'The port is in use. Choose another with APP_SERVER_PORT.\n'
      : `The dashboard could not start: ${message}\n`,
  );
  return 1;
}
