import { randomUUID } from 'node:crypto';
import { type DoctorSettings, examine, type OpenedStore } from '../doctor/doctor.ts';
import type { Finding } from '../doctor/finding.ts';
import { checkFiles, storeRefused } from '../doctor/store-side.ts';
import { ProblemError } from '../errors.ts';
import { isSettled } from '../licence/licence-updates.ts';
import { applicationClientId } from '../oidc/access-token.ts';
import { dashboardClientId } from '../oidc/clients.ts';
import { pkcePolicyOf } from '../oidc/pkce.ts';
import { SealError } from '../oidc/sealing.ts';
import type { Services } from '../services.ts';
import { internalAddressWarning } from '../settings/rules.ts';
import type { Settings } from '../settings/settings.ts';
import { StorageRefusedError, StorageUnavailableError } from '../storage/storage.ts';
import type { Command, Tools } from './command.ts';
import { columns } from './output.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Looks at the console, the application and all between them, and says what to change.',
  takesSettings: true,
  details: [
    'Each line is ok, warning or problem, with the setting or command that puts it right. Exit code 1: a problem.',
    'Run it with the settings of the console, on its host. The application is asked too, at its internal address,\n' +
      'what it sees of the console; --svc-mc-app-internaladdress A asks another node.',
  ],
  async run(_input, tools) {
    const settings = await tools.settings();
    const files = checkFiles(settings.dataDir, settings.tlsKey);
    const found = await examine({
      settings: viewOf(settings),
      store: await openStore(tools),
      clientIds: { application: applicationClientId, dashboard: dashboardClientId },
      fetch: tools.fetch,
      now: tools.now,
    });
    const findings = [...found, ...files];
    const problems = countOf(findings, 'problem');
    return {
      text: describe(findings),
      json: { ok: problems === 0, findings: findings.map((one) => ({ fix: null, ...one })) },
      hasFailed: problems > 0,
    };
  },
};

/** So long that an application with a clock that is wrong can still say so. */
const requestSeconds = 300;

function viewOf(settings: Settings): DoctorSettings {
  // The internal address has a line of its own, which says more.
  const own = internalAddressWarning(settings.applicationInternalAddress);
  return {
    ...settings,
    warnings: settings.warnings.filter((warning) => warning !== own),
    hasTls: settings.tls !== undefined,
    clientSecret: settings.applicationClientSecret?.reveal(),
    internalAddress: settings.applicationInternalAddress,
  };
}

/** The store and what it knows, or the line that says why it cannot be used. */
async function openStore({ services }: Tools): Promise<OpenedStore | Finding> {
  try {
    const opened = await services();
    return await lookInto(opened);
  } catch (error) {
    const isExpected = [ProblemError, StorageRefusedError, StorageUnavailableError, SealError].some(
      (kind) => error instanceof kind,
    );
    if (isExpected) return storeRefused(error as Error);
    throw error;
  }
}

async function lookInto({
  storage,
  keys,
  clients,
  settings,
  outbound,
  licenceDeliveries,
  now,
}: Services): Promise<OpenedStore> {
  keys.load();
  const kids = keys.published().map(({ key }) => key.kid);
  const delivery = await licenceDeliveries.current();
  return {
    checkWritable: storage.checkWritable,
    kids,
    outbound,
    signRequest() {
      const iat = Math.floor(now() / 1000);
      const exp = iat + requestSeconds;
      const claims = { iss: settings.url, aud: dashboardClientId, iat, exp, jti: randomUUID() };
      return keys.signing('RS256').signJwt(claims, 'doctor+jwt');
    },
    unboundClients: clients
      .list()
      .filter((client) => !client.disabled && pkcePolicyOf(client) === 'optional')
      .map(({ id }) => id),
    waitingLicence:
      delivery && !isSettled(delivery) ? { id: delivery.licenceId, reason: delivery.reason } : undefined,
  };
}

function describe(findings: readonly Finding[]): string {
  const rows = findings.flatMap(({ state, check, reason, fix }) => [
    [state, check, reason],
    ...(fix === undefined ? [] : [['', '', `> ${fix}`]]),
  ]);
  const [problems, warnings] = [countOf(findings, 'problem'), countOf(findings, 'warning')];
  return `${columns(rows)}\n\nProblems: ${problems}, warnings: ${warnings}.`;
}

function countOf(findings: readonly Finding[], state: Finding['state']): number {
  return findings.filter((finding) => finding.state === state).length;
}
