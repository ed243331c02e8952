import '../platform/no-prototype-access.ts';
import { pino } from 'pino';
import { openLogOutput } from '../platform/log-output.ts';
import { PortTakenError } from '../platform/port-taken-error.ts';
import { answersQuestion } from '../platform/program-questions.ts';
import type { MemberConfig } from './config/config.ts';
import { MemberConfigError } from './config/config-error.ts';
import { loadMemberConfig } from './config/load.ts';
import { readConfigFile } from './config/read-file.ts';
import { startMember } from './member.ts';
import { PersistenceRejectedError } from './persistence/instance.ts';

/** Entry of `npm run member`: one stand-alone member. Exit codes: 0 stopped, 78 bad settings or port taken. */
const badSettings = 78;

const usage = `cluster-console-member starts one stand-alone member. It takes no arguments, but the environment:

  MEMBER_CONFIG  its configuration file, YAML or JSON (docs/member.md); without one, REST is off
  MEMBER_HOST    listening address; 127.0.0.1 unless set
  MEMBER_PORT    listening port`;

try {
  if (!answersQuestion(process.argv.slice(2), () => usage)) await run();
} catch (error) {
  const problems = settingsProblems(error);
  if (problems === undefined) throw error;
  for (const problem of problems) console.error(problem);
  process.exitCode = badSettings;
}

async function run(): Promise<void> {
  const { MEMBER_HOST: host = '127.0.0.1', MEMBER_PORT, MEMBER_CONFIG: file } = process.env;
  const port = portFrom(MEMBER_PORT);
  const config = loadMemberConfig(file ? await readConfigFile(file) : undefined, {
    file: file || 'built-in configuration',
    environment: process.env,
  });
  const log = pino({ level: 'warn' }, openLogOutput({ descriptor: 2 }));
  const member = await startMember({ config, host, port, log });
  if (member.damage === undefined) {
    console.log(`member ready at ${member.address}: ${describeGroups(config)}`);
  } else {
    console.log(`member waits at ${member.address}: ${member.damage}; call partialStart or forceStart`);
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      void member.close();
    });
  }
  // Also when a call of memberShutdown or clusterShutdown has stopped it.
  void member.stopped.then(() => process.exit(0));
}

function portFrom(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new MemberConfigError([`MEMBER_PORT: expected a port from 0 to 65535, got ${JSON.stringify(text)}`]);
}

function describeGroups({ rest }: MemberConfig): string {
  if (!rest.enabled) return 'REST is off; network.rest-api.enabled in the file of MEMBER_CONFIG turns it on';
  return rest.groups.length === 0 ? 'REST is on, every group is off' : `groups ${rest.groups.join(', ')}`;
}

function settingsProblems(error: unknown): readonly string[] | undefined {
  if (error instanceof MemberConfigError) return error.problems;
  const isExpected = error instanceof PortTakenError || error instanceof PersistenceRejectedError;
  return isExpected ? [error.message] : undefined;
}
