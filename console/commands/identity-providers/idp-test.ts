import { randomBytes } from 'node:crypto';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { Services } from '../../app/services.ts';
import type { DryStep } from '../../federation/dry-run.ts';
import type { DryCredentials } from '../../federation/ldap/dry-run.ts';
import { testAddress } from '../../federation/providers/connectors.ts';
import type { Provider } from '../../federation/providers/schema.ts';
import { type Command, flags, type Input, type Tools, UsageError } from '../runner/command.ts';
import { columns } from '../runner/output.ts';

export const testCommand: Command = {
  name: 'idp test',
  summary: 'Runs a dry sign-in by an identity provider, and prints each step.',
  positionals: ['<id>'],
  flags: flags({
    '[--username U]': 'ldap: somebody to sign in, to see attributes and roles',
    '[--password-file F]': 'ldap: the file that holds the password; - is standard input',
  }),
  details: [
    'Nothing is created, here or there, and a disabled provider can be tested. The exit code is 1 when a step failed.',
  ],
  async run(input, tools) {
    const services = await tools.services();
    const provider = await findProvider(input, services);
    const who = await readCredentials(input, tools, provider);
    const steps = await runDry(provider, services, who);
    const hasFailed = steps.some(({ ok }) => !ok);
    return {
      text: describe(provider, steps, services.settings.url),
      json: { id: provider.id, ok: !hasFailed, steps },
      hasFailed,
    };
  },
};

async function findProvider({ positionals }: Input, services: Services): Promise<Provider> {
  const { id, provider, problem = '' } = await (await services.providerRegistration()).find(positionals[0]!);
  if (provider) return provider;
  throw new ProblemError(problems.conflict, `The record of ${id} cannot be read: ${problem}.`);
}

async function readCredentials(
  input: Input,
  { readSecret }: Tools,
  { kind }: Provider,
): Promise<DryCredentials | undefined> {
  const [username, file] = [input.text('username'), input.text('password-file')];
  if (username === undefined && file === undefined) return undefined;
  if (kind !== 'ldap') {
    throw new UsageError(
      `--username and --password-file are for ldap; at ${kind} providers people sign in themselves.`,
    );
  }
  if (username === undefined || file === undefined) {
    throw new UsageError('--username and --password-file go together.');
  }
  return { username, password: await readSecret(file) };
}

/** Loaded here: what a dry sign-in needs takes a while. */
async function runDry(
  provider: Provider,
  { outbound, settings, storage, now }: Services,
  who: DryCredentials | undefined,
): Promise<readonly DryStep[]> {
  const { runDrySignIn } = await import('../../federation/providers/dry-sign-in.ts');
  const { artifacts } = storage;
  return runDrySignIn(provider, who, { outbound, artifacts, url: settings.url, randomBytes, now });
}

function describe({ id, kind }: Provider, steps: readonly DryStep[], url: string): string {
  const rows = steps.flatMap(({ step, ok, said, advice }) => [
    [ok ? 'ok' : 'failed', step, said],
    ...(advice === undefined ? [] : [['', '', `→ ${advice}`]]),
  ]);
  const failed = steps.filter(({ ok }) => !ok).length;
  const end =
    failed === 0
      ? `${id} is ready as far as this can be tried.`
      : `${id}: ${failed} of ${steps.length} steps failed.`;
  const next =
    kind === 'ldap'
      ? ''
      : `\nTo see which claims it sends, and which rules match, open ${testAddress(url, id)} as an administrator.`;
  return `${columns(rows)}\n\n${end}${next}`;
}
