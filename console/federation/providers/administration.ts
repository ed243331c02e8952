/** Providers for the admin API: bodies checked by a schema, answers without secrets. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import {
  fieldsOfKind,
  type ProviderField,
  type ProviderInput,
  type ProviderInputDeps,
  ProviderInputError,
  type ProviderKind,
  providerKinds,
} from './input.ts';
import { createInputDeps, type InputWorld } from './input-deps.ts';
import { readProviderInput } from './reading.ts';
import type { NewProvider, ProviderRegistration } from './registration.ts';
import type { Provider } from './schema.ts';
import { viewOfProvider } from './view.ts';

export interface ProviderAdministrationDeps extends InputWorld {
  readonly registration: ProviderRegistration;
}

const switches: readonly ProviderField[] = [
  'signRequests',
  'encryptedAssertions',
  'startTls',
  'allowPlaintext',
];
const lists: readonly ProviderField[] = ['roleRules', 'scopes'];
const common: readonly ProviderField[] = ['name', 'roleRules', 'defaultRole'];
const text = z.string().min(1).max(262_144);

const fields = Object.fromEntries(
  [...common, ...Object.values(fieldsOfKind).flat()].map((field) => [
    field,
    (switches.includes(field)
      ? z.boolean()
      : lists.includes(field)
        ? z.array(text).max(200)
        : text
    ).optional(),
  ]),
);
const changeBody = z.strictObject(fields);
const newBody = z.strictObject({
  id: text,
  kind: z.enum(providerKinds),
  enabled: z.boolean().default(true),
  ...fields,
});

export function createProviderAdministration({ registration, ...world }: ProviderAdministrationDeps) {
  const deps = createInputDeps(world, (field) => field);
  const view = (id: string) => viewOfProvider(registration.find(id), world.url);

  return {
    list: async () => registration.list().map((listed) => viewOfProvider(listed, world.url)),
    show: async (id: string) => view(id),
    async add(body: unknown) {
      const { id, kind, enabled, ...said } = parse(newBody, body);
      const provider = await read({ id, kind }, said, deps);
      await registration.add({ ...provider, enabled });
      return { id, view: view(id) };
    },
    async update(id: string, body: unknown) {
      const said = parse(changeBody, body);
      const { provider: before, problem = '' } = registration.find(id);
      if (!before) throw new ProblemError(problems.conflict, `The record cannot be read: ${problem}.`);
      const after = await read(before, said, deps, before);
      await registration.update(id, () => ({ ...after, createdAt: before.createdAt }) as Provider);
      return view(id);
    },
    async setEnabled(id: string, isEnabled: boolean) {
      await registration.setEnabled(id, isEnabled);
      return view(id);
    },
    async remove(id: string, withAccounts: boolean) {
      await registration.remove(id, { withAccounts });
    },
  };
}

/** @throws {ProblemError} `invalid_request` that names fields and repeats no value */
function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path, code }) =>
    code === 'unrecognized_keys' ? 'a member that is not known' : path.join('.') || 'the body',
  );
  throw new ProblemError(problems.invalidRequest, `Not as it should be: ${[...new Set(wrong)].join(', ')}.`);
}

function read(
  what: { readonly id: string; readonly kind: ProviderKind },
  said: ProviderInput,
  deps: ProviderInputDeps,
  before?: Provider,
): Promise<NewProvider> {
  return readProviderInput(what, said, deps, before).catch((cause: unknown) => {
    if (!(cause instanceof ProviderInputError)) throw cause;
    throw new ProblemError(problems.invalidRequest, cause.message, { cause });
  });
}
