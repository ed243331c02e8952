/** What a token of a client would carry, and what it would open at the members: decided as for a real one. */
import type { Matrix } from '../../member-proxy/authorization/matrix.ts';
import { OAuthError, ProblemError, problems } from '../../platform/errors.ts';
import type { ClientRecord } from '../storage/records.ts';
import type { PrincipalQuery } from './principal.ts';

export interface TokenTrialDeps {
  readonly matrix: (asked: PrincipalQuery, members: readonly never[]) => Promise<Matrix>;
  /** What a token with these scopes is for. @throws {OAuthError} `invalid_target` */
  readonly resourceOf: (scopes: readonly string[], requested: string | undefined) => string;
  /** Whether this is the resource of the members. */
  readonly isOfMembers: (resource: string) => boolean;
  /** Life of tokens of clients that have no other. */
  readonly accessTokenSeconds: number;
}

export interface AskedToken {
  readonly scopes?: readonly string[];
  readonly resource?: string;
}

export function createTokenTrial(deps: TokenTrialDeps) {
  /** @throws {ProblemError} `invalid_request` for a scope that the client may not ask for */
  return async (client: ClientRecord, { scopes: asked, resource }: AskedToken) => {
    const scopes = asked ?? together(client, resource, deps);
    const audience = audienceOf(scopes, resource, deps);
    const foreign = scopes.find((scope) => !client.scopes.includes(scope));
    if (foreign !== undefined) {
      throw new ProblemError(problems.invalidRequest, `The client ${client.id} may not ask for ${foreign}.`);
    }
    const reason = reasonAgainst(client, audience);
    const { subjects, endpoints } = await deps.matrix({ client: client.id, scopes }, []);
    const [subject] = subjects;
    const isOpening = reason === null && typeof audience === 'string' && deps.isOfMembers(audience);
    return {
      isIssued: reason === null,
      reason,
      audience: reason === null ? audience : null,
      scopes: reason === null ? scopes : [],
      roles: reason === null ? (subject?.roles ?? []) : [],
      tokenType: client.dpopBoundAccessTokens ? 'DPoP' : 'Bearer',
      tokenAlg: client.tokenAlg,
      tokenTyp: client.tokenTyp,
      ttlSeconds: client.tokenTtlSeconds ?? deps.accessTokenSeconds,
      opens: isOpening ? openedBy(subject?.name ?? '', endpoints) : [],
    };
  };
}

/** All that it may ask for at once: a token is for one resource. */
function together(
  client: ClientRecord,
  requested: string | undefined,
  deps: Pick<TokenTrialDeps, 'resourceOf'>,
): readonly string[] {
  const scopes: string[] = [];
  for (const scope of client.scopes) {
    if (typeof audienceOf([...scopes, scope], requested, deps) === 'string') scopes.push(scope);
  }
  return scopes;
}

function audienceOf(
  scopes: readonly string[],
  requested: string | undefined,
  { resourceOf }: Pick<TokenTrialDeps, 'resourceOf'>,
): string | OAuthError {
  try {
    return resourceOf(scopes, requested);
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
}

function reasonAgainst({ disabled }: ClientRecord, audience: string | OAuthError): string | null {
  if (disabled) return 'The client is disabled.';
  return typeof audience === 'string' ? null : `${audience.message}.`;
}

function openedBy(name: string, endpoints: Matrix['endpoints']) {
  return endpoints.flatMap(({ methods, path, permission, access }) => {
    const { outcome, names = null } = access[name]!;
    return outcome === 'refused' ? [] : [{ methods, path, permission, outcome, names }];
  });
}
