/** From what an administrator says of a provider to its settings: which fields go together is decided here. */

import { ProviderInputError } from '../errors.ts';
import { readLdap } from '../ldap/config-input.ts';
import { readOidc } from '../oidc/config-input.ts';
import { parseDefaultRole, parseRoleRule, type RoleRules } from '../role-rules.ts';
import { readSaml } from '../saml/config-input.ts';
import type { ProviderInputDeps } from './input.ts';
import { fieldsOfKind, type ProviderField, type ProviderInput } from './input-schema.ts';
import { type ProviderKind, providerKinds } from './kinds.ts';
import type { NewProvider } from './provider-edit.ts';
import type { Provider } from './schema.ts';

/**
 * @param before  what is changed; a field that was not said stays as it is there
 * @throws {ProviderInputError}, {@link ProblemError} and FederationError for metadata
 */
export async function readProviderInput(
  { id, kind }: { readonly id: string; readonly kind: ProviderKind },
  input: ProviderInput,
  deps: ProviderInputDeps,
  before?: Provider,
): Promise<NewProvider> {
  rejectForeignFields(kind, input, deps);
  const position = input.position ?? before?.position;
  const common = {
    id,
    name: input.name ?? before?.name ?? id,
    ...(position === undefined ? {} : { position }),
    enabled: before?.enabled ?? true,
    roleRules: readRules(input, before?.roleRules),
  };
  switch (kind) {
    case 'oidc':
      return {
        ...common,
        kind,
        oidc: readOidc(input, deps, before?.kind === 'oidc' ? before.oidc : undefined),
      };
    case 'saml':
      return {
        ...common,
        kind,
        saml: await readSaml(id, input, deps, before?.kind === 'saml' ? before.saml : undefined),
      };
    case 'ldap':
      return {
        ...common,
        kind,
        ldap: readLdap(input, deps, before?.kind === 'ldap' ? before.ldap : undefined),
      };
  }
}

function rejectForeignFields(kind: ProviderKind, input: ProviderInput, { called }: ProviderInputDeps): void {
  for (const other of providerKinds) {
    const isForeign = (name: ProviderField) =>
      input[name] !== undefined && !fieldsOfKind[kind].includes(name);
    const field = fieldsOfKind[other].find(isForeign);
    if (field)
      throw new ProviderInputError(`${called(field)} is for ${other} providers; this one is ${kind}.`);
  }
}

function readRules(input: ProviderInput, before: RoleRules | undefined): RoleRules {
  const { defaultRole = before?.defaultRole } = input;
  return {
    rules: input.roleRules?.map(parseRoleRule) ?? before?.rules ?? [],
    ...(defaultRole !== undefined &&
      defaultRole !== 'none' && { defaultRole: parseDefaultRole(defaultRole) }),
  };
}
