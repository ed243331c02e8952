/** Commands to the cluster that take at most a name, and answer that they are done. */
import type { OperationId } from '../operations/api-caller.ts';
import { dryRunFlag } from '../operations/changes.ts';
import { type Command, flags, type Input } from '../runner/command.ts';

export interface Act {
  readonly name: string;
  readonly operation: OperationId;
  readonly summary: string;
  /** By the names of the operation's parameters, in the order in which they are typed. */
  readonly params?: readonly string[];
  /** What it is about, where no name is typed. */
  readonly about: string;
  /** What it does, where it cannot be taken back. */
  readonly warning?: string;
  /** It may say why. */
  readonly takesReason?: boolean;
}

/** Of what hits the whole cluster, or all of a member. */
export const reasonFlag = flags({ '[--reason R]': 'why it is done, for the audit' });

export function reasonIn(input: Input): { readonly query?: { readonly reason: string } } {
  const reason = input.text('reason');
  return reason === undefined ? {} : { query: { reason } };
}

export function actCommand(act: Act): Command {
  const { name, operation, summary, params = [], about, warning, takesReason = false } = act;
  const nameIn = (positionals: readonly string[]) => positionals.at(-1) ?? about;
  return {
    isOnApi: true,
    createsStore: true,
    name,
    summary,
    positionals: params.map((param) => `<${param}>`),
    flags: takesReason ? { ...reasonFlag, ...dryRunFlag } : dryRunFlag,
    ...(warning !== undefined && {
      asks: ({ positionals }) => ({ says: warning, name: nameIn(positionals) }),
    }),
    async run(input, { api }) {
      const isDryRun = input.has('dry-run');
      const given = Object.fromEntries(params.map((param, n) => [param, input.positionals[n] ?? '']));
      await api.call(operation, { params: given, isDryRun, ...(takesReason && reasonIn(input)) });
      const what = [...input.positionals, ...(params.length === 0 ? [about] : [])].join(' ');
      const text = isDryRun ? `${name} may be done: ${what}.` : `${name} is done: ${what}.`;
      return { text, json: { ...given, isDone: !isDryRun } };
    },
  };
}
