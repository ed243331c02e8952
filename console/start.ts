/** Opens everything in the order in which it is needed; what can wait for a thread or a disk overlaps. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../platform/log.ts';
import type { Console } from './app/console.ts';
import { startDuties } from './app/duties.ts';
import { createRunLocally } from './app/operations.ts';
import { leadingServices } from './app/services/leading-services.ts';
import type { Services } from './app/services.ts';
import { createSharedMemories } from './app/shared-memories.ts';
import { serveCommands } from './commands/channel/serve.ts';
import { startEmbeddedMember } from './embedded-member.ts';
import {
  allOf,
  applyConfiguration,
  createFirstAdministrator,
  finishSweeps,
  reportExcess,
  setupTokenOf,
  untilAnswered,
} from './first-start.ts';
import { auditSeed } from './keys/audit-key.ts';
import { isLastingReply } from './lasting-replies.ts';
import { openPorts } from './open-ports.ts';
import { type OpenDeps, openServices, withApplication } from './open-services.ts';
import { openTelemetry } from './open-telemetry.ts';
import { recordDeniedConnections } from './server/denied-connections.ts';
import { closeInTime } from './server/orderly-end.ts';
import { createConsoleOverload } from './server/overload.ts';
import { startRounds } from './start-rounds.ts';
import { dutyLog, whileLeading } from './storage/engine/while-leading.ts';
import { type WelcomeFacts, welcome } from './welcome.ts';

export interface StartDeps extends OpenDeps {
  /** Where `CONSOLE_APPLICATION_CLIENT_SECRET` comes from, when it is a file: the printed call reads it too. */
  readonly secretFile: string | undefined;
  /** Whose `HZ_…` and `SVC_…` variables are put over the embedded member's configuration. */
  readonly environment: NodeJS.ProcessEnv;
}

export interface Started {
  /** Not ready from now on, and each reply ends its connection: a load balancer is to send calls elsewhere. */
  announceEnd(): void;
  /** Not ready from now on; resolves when every reply in flight has been sent, or cut after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
}

/** How long a start waits to tell how the members are, milliseconds; those of a network answer within a few. */
const firstProbeMs = 1_000;

/** Resolves when the console answers and has said so on standard output. */
export async function start({
  settings,
  readSettings,
  secretFile,
  environment,
  log,
  closing,
  faults,
}: StartDeps): Promise<Started> {
  const given = { settings, readSettings, log, closing, faults };
  const { services, audit, application, trail } = await openServices(given);
  const answered = <T>(work: () => Promise<T>) => untilAnswered(services.storage, work);
  // Keys and passwords are made on other threads while this one loads the rest.
  const [member, { createConsole }] = await allOf([
    startEmbeddedMember({ settings, environment, log, closing }),
    import('./app/console.ts'),
    answered(services.keys.prepare),
    answered(services.providers.prepare),
    answered(services.installationId.prepare),
    answered(() => createFirstAdministrator(services)),
    finishSweeps(services, log),
  ]);
  trail.useKey(await answered(() => auditSeed({ ...services, ...services.storage })));
  await applyConfiguration(services, { audit, log, closing, env: environment });
  const members = member ? [member.address] : settings.members;
  if (member) services.configuredStructures.useOwn(member.configured);
  const overload = createConsoleOverload(settings, isLastingReply);
  const telemetry = await openTelemetry(settings, log, closing);
  const console = await createConsole({
    services,
    telemetry,
    log,
    audit,
    members,
    faults,
    overload: overload.numbers,
    memories: createSharedMemories(services.storage),
    setupToken: await answered(() => setupTokenOf(services)),
  });
  closing.add('connections to members', console.close);
  const leading = whileLeading(services.storage, (store) => {
    const term = store.leadership?.term();
    if (term !== undefined) log.info({ term }, 'this console leads: it does what is to be done once for all');
    const { members } = console;
    return startDuties({ services: leadingServices(services, store), audit, log: dutyLog(log), members });
  });
  closing.add('notices to applications', leading);
  const { server, management } = await openPorts({
    settings,
    handle: console.handle,
    overload,
    onDenial: recordDeniedConnections({ record: services.denials.record, audit }),
  });
  closing.add('port', () => server.close(0));
  closing.add('management port', async () => management?.close(0));
  startRounds({ services, audit, log, closing, ...numbersOf(console) });
  const commands = await serveCommands({
    dataDir: settings.dataDir,
    services,
    runOperation: createRunLocally(services, audit, console.members),
    settings: () => withApplication(settings, application()),
    isReady: console.isReady,
    audit,
    fetch,
  });
  closing.add('command line', commands);
  if (!member) await untilProbed(console.members);
  await sayWelcome(services, { setup: console.setup, members: console.members.statuses(), secretFile }, log);
  return {
    announceEnd() {
      console.announceEnd();
      server.announceEnd();
    },
    drain(timeoutMs) {
      console.drain();
      return closeInTime(server, console.endWaits, timeoutMs);
    },
  };
}

/** What one process alone has for the history of numbers. */
function numbersOf({ mainNumbers, callMinute, members }: Console) {
  return {
    readNumbers: async () => new Map([[0, mainNumbers()]]),
    readMinute: async (minute: number) => callMinute(minute),
    askMember: members.ask,
  };
}

/** @param facts  what the services do not know */
export async function sayWelcome(
  services: Services,
  facts: Pick<WelcomeFacts, 'setup' | 'members' | 'secretFile'>,
  log: Logger,
): Promise<void> {
  await reportExcess(services, log);
  process.stdout.write(await welcome({ ...services, ...facts }));
}

export async function untilProbed({ firstProbe }: { readonly firstProbe: Promise<unknown> }): Promise<void> {
  await Promise.race([firstProbe, pause(firstProbeMs, undefined, { ref: false })]);
}
