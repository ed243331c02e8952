import { ProblemError } from '../../../platform/errors.ts';
import type { Services } from '../../app/services.ts';
import { dashboardClientId } from '../../clients/clients.ts';
import { applicationClientId } from '../../clients/scopes.ts';
import { examine, type OpenedStore } from '../../doctor/doctor.ts';
import type { Finding } from '../../doctor/finding.ts';
import { checkFiles, storeRejected } from '../../doctor/store-checks.ts';
import { DecryptionError } from '../../keys/encryption.ts';
import { StorageRejectedError, StorageUnavailableError } from '../../storage/storage.ts';
import type { ConsoleKnowledge } from '../channel/store-knowledge.ts';
import { type Command, CommandError, flags, type Tools } from '../runner/command.ts';
import { columns } from '../runner/output.ts';
import { type JudgedSettings, namedIn, settingsOf, withNamed } from './judged-settings.ts';
import { reportStore, signRequest } from './store-report.ts';

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
    'Run it on the host of the console. Where one runs, its settings are judged, whatever this shell says; where none\n' +
      'does, those with which it would start from here. A setting that is named by a flag is judged in the place of\n' +
      'what the console has: --svc-mc-app-internaladdress A asks another node of the application what it sees.',
  ],
  async run(input, tools) {
    const { settings, store, files, of } = await openConsole(tools, namedIn(input), input.has('deep'));
    const found = await examine({
      settings,
      store,
      clientIds: { application: applicationClientId, dashboard: dashboardClientId },
      fetch: tools.fetch,
      now: tools.now,
    });
    const findings = [...found, ...files];
    const problems = countOf(findings, 'problem');
    return {
      text: `${inWords(of)}\n\n${describe(findings)}`,
      json: { ok: problems === 0, settings: of, findings: findings.map((one) => ({ fix: null, ...one })) },
      hasFailed: problems > 0,
    };
  },
};

/** Whose settings were judged. */
type SettingsOf =
  | {
      readonly of: 'console';
      readonly dataDir: string;
      readonly pid: number;
      readonly named: readonly string[];
    }
  | { readonly of: 'shell'; readonly dataDir: string };

interface OpenedConsole {
  readonly settings: JudgedSettings;
  readonly store: OpenedStore | Finding;
  readonly files: readonly Finding[];
  readonly of: SettingsOf;
}

function inWords(judged: SettingsOf): string {
  const { dataDir } = judged;
  if (judged.of === 'shell') {
    return `No console runs in ${dataDir}: judged are the settings with which one would start from this shell.`;
  }
  const flags = judged.named.map((flag) => `--${flag}`).join(', ');
  const named = flags === '' ? '' : ` with what ${flags} says`;
  return `Judged are the settings of the console that runs in ${dataDir} (process ${judged.pid})${named}.`;
}

/** The console that runs, or the store with the settings of the shell. @param named  settings that are named by flags */
async function openConsole(tools: Tools, named: readonly string[], isDeep: boolean): Promise<OpenedConsole> {
  const shell = async () => settingsOf(await tools.settings());
  const where = await orRejected(async () => tools.whereabouts?.());
  const isThere = where !== undefined && 'way' in where && where.way === 'socket';
  const running = isThere ? await orRejected(async () => tools.inspectStore?.(isDeep)) : undefined;
  if (running && 'kids' in running) {
    const { dataDir, pid } = running;
    const own = { ...running.settings, dataDir };
    const settings = named.length === 0 ? own : withNamed(own, await shell(), named);
    const store = await reportedBy(running, settings);
    return { settings, store, files: filesOf(settings), of: { of: 'console', dataDir, pid, named } };
  }
  const settings = await shell();
  // Before it is opened, which may put their permissions right.
  const files = filesOf(settings);
  const rejected = [where, running].find((one) => one !== undefined && 'check' in one) as Finding | undefined;
  const store = rejected ?? (await orRejected(async () => inspect(await tools.services(), isDeep)));
  return { settings, store, files, of: { of: 'shell', dataDir: settings.dataDir } };
}

function filesOf({ dataDir, tlsKey }: JudgedSettings): readonly Finding[] {
  return checkFiles(dataDir, tlsKey);
}

/** What was opened, or the line that says why it cannot be used. */
async function orRejected<T>(open: () => Promise<T>): Promise<T | Finding> {
  try {
    return await open();
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
  { kids, request, waitingLicence, unwritable, ...excess }: ConsoleKnowledge,
  settings: JudgedSettings,
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
async function outboundOf({
  outboundAllow,
  internalAddress: address,
}: JudgedSettings): Promise<OpenedStore['outbound']> {
  const { createOutbound } = await import('../../http/outbound/outbound.ts');
  const internal = address === undefined ? undefined : new URL(address).origin;
  return createOutbound({ allow: outboundAllow, isKnownLoopback: (origin) => origin === internal });
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
