import type { ProviderView } from '../../admin-api/identity-provider-view.ts';
import { type Command, flags, type Input, type Tools, UsageError } from '../runner/command.ts';
import { columns } from '../runner/output.ts';

/** As the API answers it. */
interface TrialView {
  readonly id: string;
  readonly ok: boolean;
  readonly steps: readonly {
    readonly step: string;
    readonly ok: boolean;
    readonly said: string;
    readonly advice: string | null;
  }[];
}

export const testCommand: Command = {
  isOnApi: true,
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
    const params = { provider: input.positionals[0] ?? '' };
    const provider = (await tools.api.call('readIdentityProvider', { params })).body as ProviderView;
    const body = await readCredentials(input, tools, provider);
    const trial = (await tools.api.call('testIdentityProvider', { params, body })).body as TrialView;
    return { text: describe(provider, trial), json: trial, hasFailed: !trial.ok };
  },
};

/** Somebody to sign in, if anybody. */
async function readCredentials(
  input: Input,
  { readSecret }: Tools,
  { kind }: ProviderView,
): Promise<{ readonly username?: string; readonly password?: string }> {
  const [username, file] = [input.text('username'), input.text('password-file')];
  if (username === undefined && file === undefined) return {};
  if (kind !== null && kind !== 'ldap') {
    throw new UsageError(
      `--username and --password-file are for ldap; at ${kind} providers people sign in themselves.`,
    );
  }
  if (username === undefined || file === undefined) {
    throw new UsageError('--username and --password-file go together.');
  }
  return { username, password: await readSecret(file) };
}

function describe({ id, testUrl }: ProviderView, { steps }: TrialView): string {
  const rows = steps.flatMap(({ step, ok, said, advice }) => [
    [ok ? 'ok' : 'failed', step, said],
    ...(advice === null ? [] : [['', '', `→ ${advice}`]]),
  ]);
  const failed = steps.filter(({ ok }) => !ok).length;
  const end =
    failed === 0
      ? `${id} is ready as far as this can be tried.`
      : `${id}: ${failed} of ${steps.length} steps failed.`;
  const next =
    testUrl === null
      ? ''
      : `\nTo see which claims it sends, and which rules match, open ${testUrl} as an administrator.`;
  return `${columns(rows)}\n\n${end}${next}`;
}
