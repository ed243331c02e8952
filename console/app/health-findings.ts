/** What an administrator has to know of this installation: of its members, store, keys, identity providers, licence, jobs and settings. */
import { statfsSync } from 'node:fs';
import { ProblemError } from '../../platform/errors.ts';
import type { AskMember } from '../../platform/member-call.ts';
import { reasonInWords } from '../../platform/names/network-reason.ts';
import type { HealthFinding } from '../admin-api/cluster/health.ts';
import { differenceIn } from '../configuration/directory/differing-files.ts';
import type { Job } from '../jobs/job.ts';
import { isSettled } from '../licence/licence-updates.ts';
import type { createMemberStates, MemberState } from '../members/member-states.ts';
import { repairOf } from '../settings/warning-fixes.ts';
import type { DeniedCaller } from '../usage/denied-callers.ts';
import { directoryStateOf } from './directory-state.ts';
import { checkDatabase } from './findings/database-findings.ts';
import { checkProviders } from './findings/provider-findings.ts';
import type { Services } from './services.ts';

/** In words, and with what. */
type Repair = Pick<HealthFinding, 'command' | 'operation'> & { readonly fix: string };

export interface HealthFindingsDeps {
  readonly services: Pick<
    Services,
    | 'settings'
    | 'storage'
    | 'keys'
    | 'providers'
    | 'licences'
    | 'licenceDeliveries'
    | 'jobs'
    | 'deniedCallers'
    | 'consoles'
    | 'now'
  >;
  readonly memberStates: Pick<ReturnType<typeof createMemberStates>, 'list'>;
  readonly askMember: AskMember;
}

const dayMs = 24 * 3600 * 1000;
const soonDays = 30;
const littleBytes = 200 * 1024 * 1024;
const mostJobs = 10;
/** A look at the store writes, so that many who ask cause one. */
const freshMs = 5_000;

interface Checked {
  /** Epoch milliseconds. */
  readonly at: number;
  /** How they were. */
  readonly members: string;
  readonly findings: Promise<readonly HealthFinding[]>;
}

const advices: Readonly<Record<string, string>> = {
  read_only: 'Mount its file system writable again.',
  full: 'Make room there, or inodes: df -h and df -i.',
  limit: 'Raise the limit on the size of files of the console (ulimit -f).',
  no_permission: "Give the directory and its files to the console's user.",
};

export function createHealthFindings({ services, memberStates, askMember }: HealthFindingsDeps) {
  const { settings, storage, keys, licences, licenceDeliveries, jobs, deniedCallers, consoles, now } =
    services;
  let last: Checked | undefined;

  return {
    /** As they were at most five seconds ago, and as the members are. @returns when they were made, epoch milliseconds */
    async last() {
      if (!last || now() - last.at > freshMs || last.members !== membersNow()) last = check(false);
      const { at } = last;
      return { at, findings: await last.findings };
    },
    /** Looks now, and asks each member. */
    async run() {
      last = check(true);
      const { at } = last;
      return { at, findings: await last.findings };
    },
    /** Who is denied the same call over and over: callers are named, and they are for administrators alone. */
    async denials({ isNow }: { readonly isNow: boolean }): Promise<readonly HealthFinding[]> {
      return (await deniedCallers.list({ isNow })).map(findingOfDenials);
    },
  };

  function check(asksMembers: boolean): Checked {
    return { at: now(), members: membersNow(), findings: all(asksMembers) };
  }

  /** Whether one has gone out or come back meanwhile, which other pages say at once. */
  function membersNow(): string {
    return memberStates
      .list()
      .map(({ id, state, isDrained }) => `${id} ${state} ${isDrained}`)
      .join();
  }

  async function all(asksMembers: boolean): Promise<readonly HealthFinding[]> {
    const [ofMembers, ofStore, ...others] = await Promise.all([
      checkMembers(asksMembers),
      checkStore(),
      checkLicence(),
      checkJobs(),
      checkConfiguration(),
    ]);
    return [
      ...ofMembers,
      ...ofStore,
      ...checkDatabase(services),
      ...checkKeys(),
      ...checkProviders(services),
      ...others.flat(),
      ...checkSettings(),
    ];
  }

  async function checkMembers(asks: boolean): Promise<readonly HealthFinding[]> {
    const members = memberStates.list();
    const of = await Promise.all(members.map((member) => checkMember(member, asks)));
    if (members.some(({ state, isDrained }) => state === 'in' && !isDrained)) return of;
    const fix = 'Start the members, or correct CONSOLE_MEMBERS.';
    const repair = { fix, command: 'npx console doctor' };
    return [problem('members', 'No member takes calls: every call is answered 503.', repair), ...of];
  }

  async function checkMember(member: MemberState, asks: boolean): Promise<HealthFinding> {
    const check = `member ${member.id}`;
    if (member.isDrained) {
      return warning(check, 'It is drained.', {
        fix: 'Give it calls again.',
        command: `npx console member undrain ${member.id}`,
        operation: 'undrainMember',
      });
    }
    if (member.state !== 'in') {
      const fix = 'Start it with REST enabled, or see why it cannot be reached from here.';
      const why = member.reason === null ? 'it was not asked yet' : reasonInWords(member.reason, member.id);
      return problem(check, `It gets no calls: ${why}.`, { fix });
    }
    const said = asks && member.groups.HEALTH_CHECK ? await readinessOf(member.id) : undefined;
    return said ? problem(check, said, { fix: 'Read its log.' }) : ok(check, 'It takes calls.');
  }

  /** @returns why it is not ready */
  async function readinessOf(member: string): Promise<string | undefined> {
    try {
      const { status } = await askMember({ method: 'GET', path: '/health/ready', member });
      return status === 200 ? undefined : `It answers that it is not ready (${status}).`;
    } catch (error) {
      if (error instanceof ProblemError) return error.message;
      throw error;
    }
  }

  async function checkStore(): Promise<readonly HealthFinding[]> {
    try {
      await storage.checkWritable();
    } catch (error) {
      const { state = 'unknown' } = error as { readonly state?: string };
      const fix = advices[state] ?? 'The system log says more.';
      const repair = { fix, command: 'npx console doctor' };
      return [problem('store', `It cannot be written (${state}). What is stored is not damaged.`, repair)];
    }
    const { bavail, bsize } = statfsSync(settings.dataDir);
    const left = `${Math.floor((bavail * bsize) / 1024 / 1024)} MiB are left.`;
    const isLittle = bavail * bsize < littleBytes;
    const fix = 'Make room for the data directory.';
    return [isLittle ? warning('store', left, { fix }) : ok('store', left)];
  }

  function checkKeys(): readonly HealthFinding[] {
    const signing = keys.published().filter(({ state }) => state === 'signing');
    if (signing.length > 0) return [ok('keys', `${signing.length} sign.`)];
    const repair = {
      fix: 'Replace the signing keys at once.',
      command: 'npx console keys rotate --now',
      operation: 'rotateKeys',
    };
    return [problem('keys', 'No key signs: no token can be given.', repair)];
  }

  async function checkLicence(): Promise<readonly HealthFinding[]> {
    const licence = licences.current();
    if (!licence) return [];
    const { id, expiresAt } = licence;
    const set = { fix: 'Set the next one.', command: 'npx console licence set', operation: 'putLicence' };
    const days = expiresAt === undefined ? undefined : Math.floor((expiresAt * 1000 - now()) / dayMs);
    if (days !== undefined && days < 0) return [problem('licence', `Licence ${id} has ended.`, set)];
    if (days !== undefined && days < soonDays) {
      return [warning('licence', `Licence ${id} ends in ${days} days.`, set)];
    }
    const delivery = await licenceDeliveries.current();
    if (!delivery || isSettled(delivery)) return [ok('licence', `Licence ${id} is valid.`)];
    const fix = 'See to the internal address of the application.';
    const repair = { fix, command: 'npx console licence status' };
    return [warning('licence', `The application has not acknowledged licence ${id}.`, repair)];
  }

  async function checkJobs(): Promise<readonly HealthFinding[]> {
    const since = now() - dayMs;
    const failed = (await jobs.list()).filter(
      ({ state, endedAt }) => (state === 'failed' || state === 'interrupted') && (endedAt ?? 0) > since,
    );
    return failed.slice(0, mostJobs).map((job) => ({
      ...warning('jobs', reasonOfJob(job), {
        fix: 'Start it again.',
        command: `npx console job show ${job.id}`,
      }),
      job,
    }));
  }

  async function checkConfiguration(): Promise<readonly HealthFinding[]> {
    return [...(await checkFiles()), ...(await checkSameFiles())];
  }

  /** Which ones differ is for administrators alone: their names may be those of clients. */
  async function checkSameFiles(): Promise<readonly HealthFinding[]> {
    const difference = consoles && differenceIn(await consoles.compareFiles(), false);
    if (difference === undefined) return [];
    const repair = { fix: 'Give all consoles the same files.', command: 'npx console config status' };
    return [warning('configuration', difference, repair)];
  }

  async function checkFiles(): Promise<readonly HealthFinding[]> {
    if (settings.configDir === undefined) return [];
    const found = await directoryStateOf(storage).read();
    if (found?.state !== 'refused')
      return [ok('configuration', 'The files of CONSOLE_CONFIG_DIR are in force.')];
    // What is wrong names clients, which are for administrators alone.
    const reason = 'Files of CONSOLE_CONFIG_DIR are refused, and what was in force stays.';
    const repair = { fix: 'Correct the files.', command: 'npx console config status' };
    return [problem('configuration', reason, repair)];
  }

  function checkSettings(): readonly HealthFinding[] {
    return settings.warnings.map((text) => warning('settings', `${text}.`, repairOf(text)));
  }
}

function findingOfDenials({ kind, id, reason, decisionId }: DeniedCaller): HealthFinding {
  const repair = {
    fix: 'The decision says what opens the call; denials that are muted are not named here.',
    command: `npx console explain --decision ${decisionId}`,
  };
  return { ...warning(`${kind} ${id}`, reason, repair), decisionId };
}

/** For who reads it without a page: what ended when, and why. */
function reasonOfJob({ kind, state, endedAt, problem: why }: Job): string {
  const at = new Date(endedAt ?? 0).toISOString().replace(/:\d\d\.\d+Z$/, 'Z');
  const ended =
    state === 'failed' ? `A job (${kind}) failed at ${at}` : `A job (${kind}) was interrupted at ${at}`;
  return why ? `${ended}: ${why.detail.replace(/\.$/, '')}.` : `${ended}.`;
}

function ok(check: string, reason: string): HealthFinding {
  return { check, state: 'ok', reason, fix: null };
}

function warning(check: string, reason: string, repair: Repair): HealthFinding {
  return { check, state: 'warning', reason, ...repair };
}

function problem(check: string, reason: string, repair: Repair): HealthFinding {
  return { check, state: 'problem', reason, ...repair };
}
