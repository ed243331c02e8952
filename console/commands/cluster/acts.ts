/** Commands to the cluster that take at most a name, and answer that they are done. */
import type { OperationId } from '../operations/api-caller.ts';
import { dryRunFlag } from '../operations/changes.ts';
import type { Command } from '../runner/command.ts';

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
}

export function actCommand({ name, operation, summary, params = [], about, warning }: Act): Command {
  const nameIn = (positionals: readonly string[]) => positionals.at(-1) ?? about;
  return {
    isOnApi: true,
    createsStore: true,
    name,
    summary,
    positionals: params.map((param) => `<${param}>`),
    flags: dryRunFlag,
    ...(warning !== undefined && {
      asks: ({ positionals }) => ({ says: warning, name: nameIn(positionals) }),
    }),
    async run(input, { api }) {
      const isDryRun = input.has('dry-run');
      const given = Object.fromEntries(params.map((param, n) => [param, input.positionals[n] ?? '']));
      await api.call(operation, { params: given, isDryRun });
      const what = [...input.positionals, ...(params.length === 0 ? [about] : [])].join(' ');
      const text = isDryRun ? `${name} may be done: ${what}.` : `${name} is done: ${what}.`;
      return { text, json: { ...given, isDone: !isDryRun } };
    },
  };
}
