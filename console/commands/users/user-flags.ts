/** What is said of a user by flags, in the words of the API. */
import { isRole, roles } from '../../accounts/roles.ts';
import type { OperationId } from '../operations/api-caller.ts';
import {
  type Changed,
  change,
  changedSet,
  codeOf,
  isSetNamed,
  readSet,
  setFlags,
} from '../operations/changes.ts';
import { inFlags } from '../operations/flag-names.ts';
import { flags, type Input, type Tools, UsageError } from '../runner/command.ts';
import type { UserView } from './user-view.ts';

export const roleMeaning = `a role: ${roles.join(', ')}, or a custom one`;
export const eligibleMeaning = 'a role that the user may take for a while (console elevate)';

const flagsOfMembers: Readonly<Record<string, string>> = {
  id: '<name>',
  displayName: '--name',
  email: '--email',
  roles: '--role',
  eligibleRoles: '--eligible-role',
  password: '--password-file',
  ttlSeconds: '--ttl-seconds',
  q: '--search',
  role: '--role',
  eligibleRole: '--eligible-role',
  status: '--status',
  provider: '--provider',
};

export function inUserFlags<T>(work: () => Promise<T>): Promise<T> {
  return inFlags((member) => flagsOfMembers[member], work);
}

export const updateFlags = {
  ...flags({ '[--name "N"]': 'the name in full, or none', '[--email E]': 'the e-mail address, or none' }),
  ...setFlags('role', 'R', roleMeaning),
  ...setFlags('eligible-role', 'R', eligibleMeaning),
};

/** @throws {UsageError} when nothing is to be changed, and for a role that there is not */
export async function updated(
  input: Input,
  tools: Pick<Tools, 'api'>,
  what: Pick<Changed, 'params'> & { readonly update?: OperationId },
): Promise<UserView> {
  const [held, eligible] = [readSet(input, 'role'), readSet(input, 'eligible-role')];
  const [name, email] = [textIn(input, 'name'), textIn(input, 'email')];
  const sets = [held, eligible];
  if (!sets.some(isSetNamed) && name === undefined && email === undefined) {
    throw new UsageError(
      'Say what to change: --name, --email, or --role, --add-role or --remove-role; the same with eligible-role.',
    );
  }
  await checkRoles(
    sets.flatMap(({ all = [], add }) => [...all, ...add]),
    tools,
  );
  const isRelative = sets.some((set) => isSetNamed(set) && set.all === undefined);
  const changed = { read: 'readUser', update: 'updateUser', ...what, input, isRelative } as const;
  const answer = await inUserFlags(() =>
    change<UserView>(tools, changed, (now) => ({
      ...(name !== undefined && { displayName: name }),
      ...(email !== undefined && { email }),
      ...(isSetNamed(held) && { roles: changedSet(held, now?.roles ?? []) }),
      ...(isSetNamed(eligible) && { eligibleRoles: changedSet(eligible, now?.eligibleRoles ?? []) }),
    })),
  );
  return answer.body as UserView;
}

/** A custom role is of a store that is there. */
export function hasBuiltInRoles(input: Input): boolean {
  return [...(input.texts('role') ?? []), ...(input.texts('eligible-role') ?? [])].every(isRole);
}

/** @throws {UsageError} for a role that there is not, before anything is read or made for its sake */
export async function checkRoles(names: readonly string[], { api }: Pick<Tools, 'api'>): Promise<void> {
  for (const role of names.filter((name) => !isRole(name))) {
    try {
      await api.call('readRole', { params: { role } });
    } catch (error) {
      const code = codeOf(error);
      // Who may not look has it said by the change itself.
      if (code === 'insufficient_scope') return;
      if (code !== 'not_found') throw error;
      throw new UsageError(
        `--role is one of ${roles.join(', ')}, or one of your own: npx console role list shows those.`,
      );
    }
  }
}

/** `none` takes away what is there. */
function textIn(input: Input, flag: string): string | null | undefined {
  const value = input.text(flag);
  return value === 'none' ? null : value;
}
