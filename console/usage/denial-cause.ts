/** Who is denied which call: what denials have in common that one change would end. */
import { builtInRoles } from '../../member-proxy/authorization/role-permissions.ts';
import { createRules, structureNames } from '../../member-proxy/authorization/rules.ts';
import { defaultLimits } from '../../member-proxy/limits.ts';
import { readMemberTarget } from '../../member-proxy/members/member-target.ts';
import { readTarget } from '../../member-proxy/request-target.ts';
import { ProblemError } from '../../platform/errors.ts';
import { textOfNames, type UsageRow, type UsedBy } from './usage-row.ts';

/** As a row of use has them. */
export interface DenialCause {
  readonly who: UsedBy;
  readonly permission: string;
  /** `map:read`; empty where the call is for no single map or queue. */
  readonly structure: string;
  /** See `namesOfText`. */
  readonly name: string;
}

const rules = createRules(builtInRoles);
const nobody = { subject: '', clientId: '', roles: [], scopes: [], jti: '', expiresAt: 0, claims: {} };

/**
 * @param path  as it was sent
 * @returns undefined for a call that no rule knows: it is nothing that a permission opens
 */
export function causeOfCall(who: UsedBy, method: string, path: string): DenialCause | undefined {
  try {
    const target = readTarget(readMemberTarget(path).url, defaultLimits.targetBytes);
    const decision = rules.decide(method, target, nobody);
    if (decision.outcome !== 'insufficientScope') return undefined;
    const { permission, structure } = decision.rule;
    if (!structure) return { who, permission, structure: '', name: '' };
    const name = textOfNames(structureNames(decision.rule, method, target));
    return { who, permission, structure: `${structure.kind}:${structure.action}`, name };
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

export function causeOfRow([who, permission, structure, name]: UsageRow): DenialCause {
  return { who, permission, structure, name };
}

export function textOfCause({ who, permission, structure, name }: DenialCause): string {
  return JSON.stringify([who, permission, structure, name]);
}
