import { randomUUID } from 'node:crypto';
import { ProblemError } from '../../platform/errors.ts';
import type { Services } from '../app/services.ts';
import { inspectClients } from '../clients/client-excess.ts';
import { dashboardClientId } from '../clients/clients.ts';
import { applicationClientId } from '../clients/scopes.ts';
import { type DoctorSettings, examine, type OpenedStore } from '../doctor/doctor.ts';
import type { Finding } from '../doctor/finding.ts';
import { checkFiles, storeRejected } from '../doctor/store-checks.ts';
import { DecryptionError } from '../keys/encryption.ts';
import type { Delivery } from '../licence/deliveries.ts';
import { isSettled } from '../licence/licence-updates.ts';
import { internalAddressWarning, tlsMissingWarning } from '../settings/rules.ts';
import type { Settings } from '../settings/settings.ts';
import { StorageRejectedError, StorageUnavailableError } from '../storage/storage.ts';
import type { StoreKnowledge } from './channel/store-knowledge.ts';
import { type Command, CommandError, flags, type Tools } from './runner/command.ts';
import { deepestReason } from './runner/failures.ts';
import { columns } from './runner/output.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Looks at the console, the application and all between them, and says what to change.',
  takesSettings: true,
  flags: flags({
    '[--deep]':
      'reads every record of the store, and each way to one from both its ends: a minute or more for a million',
  }),
  isLocal: true,
  details: [
    'Each line is ok, warning or problem, with the setting or command that puts it right. Exit code 1: a problem.',
    'Run it with the settings of the console, on its host. The application is asked too, at its internal address,\n' +
      'what it sees of the console; --svc-mc-app-internaladdress A asks another node.',
  ],
  async run(input, tools) {
    const settings = await tools.settings();
    const files = checkFiles(settings.dataDir, settings.tlsKey);
    const found = await examine({
      settings: viewOf(settings),
      store: await openStore(tools, input.has('deep')),
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

/** For a look at all clients, milliseconds. */
const clientsMs = 3_000;
/** So long that an application with a clock that is wrong can still say so. */
const requestSeconds = 300;

function viewOf(settings: Settings): DoctorSettings {
  // These have lines of their own, which say more.
  const { applicationInternalAddress: internalAddress } = settings;
  const own = [
    tlsMissingWarning,
    ...(internalAddress === undefined ? [] : [internalAddressWarning(internalAddress)]),
  ];
  return {
    ...settings,
    warnings: settings.warnings.filter((warning) => !own.includes(warning)),
    hasTls: settings.tls !== undefined,
    clientSecret: settings.applicationClientSecret?.reveal(),
    internalAddress,
  };
}

/** The store and what it knows, or the line that says why it cannot be used. */
async function openStore(tools: Tools, isDeep: boolean): Promise<OpenedStore | Finding> {
  try {
    const settings = await tools.settings();
    const running = await tools.inspectStore?.(settings.url, isDeep);
    return running ? reportedBy(running, settings) : await inspect(await tools.services(), isDeep);
  } catch (error) {
    const isExpected = [
      CommandError,
      ProblemError,
      StorageRejectedError,
      StorageUnavailableError,
      DecryptionError,
    ].some((kind) => error instanceof kind);
    if (isExpected) return storeRejected(error as Error);
    throw error;
  }
}

/** What a running console says of the store that it has open. */
async function reportedBy(
  { kids, request, waitingLicence, unwritable, ...excess }: StoreKnowledge,
  settings: Settings,
): Promise<OpenedStore> {
  return {
    async checkWritable() {
      if (unwritable) throw Object.assign(new Error(unwritable.reason), unwritable);
    },
    kids,
    outbound: await outboundOf(settings),
    signRequest: async () => request!,
    ...excess,
    waitingLicence: waitingLicence && { reason: undefined, ...waitingLicence },
  };
}

/** Checks of addresses as the console makes them. */
async function outboundOf(settings: Settings): Promise<OpenedStore['outbound']> {
  const { createOutbound } = await import('../http/outbound/outbound.ts');
  const { applicationInternalAddress: address } = settings;
  const internal = address === undefined ? undefined : new URL(address).origin;
  return createOutbound({
    allow: settings.outboundAllow,
    isKnownLoopback: (origin) => origin === internal,
  });
}

async function inspect(services: Services, isDeep: boolean): Promise<OpenedStore> {
  services.keys.load();
  const { kids, waitingLicence, ...excess } = await reportStore(services, services.settings.url, {
    checks: false,
    isDeep,
  });
  return {
    checkWritable: services.storage.checkWritable,
    kids,
    outbound: services.outbound,
    signRequest: () => signRequest(services, services.settings.url),
    ...excess,
    waitingLicence: waitingLicence && { reason: undefined, ...waitingLicence },
  };
}

/** @param url  what the question to the application is signed for */
export async function reportStore(
  services: Services,
  url: string,
  { checks = true, isDeep = false }: { readonly checks?: boolean; readonly isDeep?: boolean } = {},
): Promise<StoreKnowledge> {
  const { keys, clients, settings, storage, licenceDeliveries } = services;
  const kids = keys.published().map(({ key }) => key.kid);
  const delivery = await licenceDeliveries.current();
  const waiting = delivery && !isSettled(delivery) ? delivery : undefined;
  const unwritable = checks ? await storage.checkWritable().then(() => undefined, inShort) : undefined;
  return {
    kids,
    ...(await inspectClients(clients, {
      now: services.now(),
      mostMs: clientsMs,
      isDashboardDefault: settings.origins.applicationAddresses === 'default',
    })),
    ...(kids.length > 0 && checks ? { request: await signRequest(services, url) } : {}),
    ...(waiting ? { waitingLicence: licenceOf(waiting) } : {}),
    ...(unwritable === undefined ? {} : { unwritable }),
    ...(isDeep ? { contents: await storage.check() } : {}),
  };
}

function inShort(error: StorageUnavailableError) {
  const { state } = error;
  return { reason: deepestReason(error), ...(state === undefined ? {} : { state }) };
}

function licenceOf({ licenceId, reason }: Delivery) {
  return { id: licenceId, ...(reason === undefined ? {} : { reason }) };
}

function signRequest({ keys, now }: Services, url: string): Promise<string> {
  const iat = Math.floor(now() / 1000);
  const exp = iat + requestSeconds;
  const claims = { iss: url, aud: dashboardClientId, iat, exp, jti: randomUUID() };
  return keys.signing('RS256').signJwt(claims, 'doctor+jwt');
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
