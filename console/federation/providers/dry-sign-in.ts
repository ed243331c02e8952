/** A dry sign-in by a provider of any kind: each protocol is loaded when it is tried. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { Outbound } from '../../http/outbound/outbound.ts';
import { OutboundError } from '../../http/outbound/outbound-exchange.ts';
import type { DryRunDeps, DryStep } from '../dry-run.ts';
import type { DryCredentials } from '../ldap/dry-run.ts';
import type { Provider } from './schema.ts';

export type DryRunWorld = DryRunDeps;

/** For all steps together: somebody waits for the page that says what came of them, and each may take its whole time. */
const dryRunMs = 10_000;

/**
 * @param who  of a directory: somebody to sign in
 * @param withinMs  what is still open then has failed
 * @throws {ProblemError} `invalid_request` when people of this kind of provider sign in there, and not here
 */
export async function runDrySignIn(
  provider: Provider,
  who: DryCredentials | undefined,
  world: DryRunWorld,
  withinMs = dryRunMs,
): Promise<readonly DryStep[]> {
  if (who && provider.kind !== 'ldap') {
    throw new ProblemError(
      problems.invalidRequest,
      `A name and a password are for ldap; at ${provider.kind} providers people sign in themselves.`,
    );
  }
  const signal = AbortSignal.timeout(withinMs);
  const deps = { ...world, outbound: endedBy(signal, world.outbound) };
  switch (provider.kind) {
    case 'oidc':
      return (await import('../oidc/dry-run.ts')).dryRunOidc(provider, deps);
    case 'saml':
      return (await import('../saml/dry-run.ts')).dryRunSaml(provider, deps);
    case 'ldap':
      return (await import('../ldap/dry-run.ts')).dryRunLdap(provider, who, signal);
  }
}

function endedBy(deadline: AbortSignal, outbound: Pick<Outbound, 'send'>): Pick<Outbound, 'send'> {
  return {
    async send(request) {
      const signal = request.signal ? AbortSignal.any([deadline, request.signal]) : deadline;
      try {
        return await outbound.send({ ...request, signal });
      } catch (error) {
        if (!deadline.aborted || !(error instanceof OutboundError)) throw error;
        throw new OutboundError('timeout', { cause: error });
      }
    },
  };
}
