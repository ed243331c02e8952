/** A dry sign-in by a provider of any kind: each protocol is loaded when it is tried. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { DryRunDeps, DryStep } from '../dry-run.ts';
import type { DryCredentials } from '../ldap/dry-run.ts';
import type { Provider } from './schema.ts';

export type DryRunWorld = DryRunDeps;

/**
 * @param who  of a directory: somebody to sign in
 * @throws {ProblemError} `invalid_request` when people of this kind of provider sign in there, and not here
 */
export async function runDrySignIn(
  provider: Provider,
  who: DryCredentials | undefined,
  world: DryRunWorld,
): Promise<readonly DryStep[]> {
  if (who && provider.kind !== 'ldap') {
    throw new ProblemError(
      problems.invalidRequest,
      `A name and a password are for ldap; at ${provider.kind} providers people sign in themselves.`,
    );
  }
  switch (provider.kind) {
    case 'oidc':
      return (await import('../oidc/dry-run.ts')).dryRunOidc(provider, world);
    case 'saml':
      return (await import('../saml/dry-run.ts')).dryRunSaml(provider, world);
    case 'ldap':
      return (await import('../ldap/dry-run.ts')).dryRunLdap(provider, who);
  }
}
