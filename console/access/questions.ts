/** Why a call is refused, and who may call what: the answers that the admin API and the command line share. */
import { createExplain, type Explanation } from '../../member-proxy/authorization/explain.ts';
import { createMatrix, type Matrix, type MatrixSubject } from '../../member-proxy/authorization/matrix.ts';
import { createRoleBook, type RoleBook } from '../../member-proxy/authorization/role-permissions.ts';
import type { MemberStatus } from '../../member-proxy/members/members.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { CustomRoles } from '../accounts/custom-roles.ts';
import type { Users } from '../accounts/users.ts';
import { placeOf } from './denial-buffer.ts';
import type { DenialLog, FoundDenial } from './denials.ts';
import { type PrincipalDeps, type PrincipalQuery, principalOf } from './principal.ts';
import { changeFor, type SuggestedChange } from './suggested-change.ts';

export interface ExplainedCall extends Explanation {
  readonly method: string;
  readonly path: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
}

/** A call that was refused. */
export interface ExplainedDenial extends Omit<FoundDenial, 'at' | 'caller'>, SuggestedChange {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Null for one without a token that held. */
  readonly caller: (NonNullable<FoundDenial['caller']> & { readonly username?: string }) | null;
  /** The permission that was missing, where one was. */
  readonly missing: string | null;
  /** What would be decided today for the same roles and scopes; null where they were not what decided. */
  readonly now: Explanation | null;
}

export interface AccessQuestionsDeps extends Omit<PrincipalDeps, 'users' | 'roles'> {
  readonly users: Pick<Users, 'find' | 'findByName'>;
  readonly roles: Pick<CustomRoles, 'names' | 'list' | 'permissionsOf'>;
  readonly denials: Pick<DenialLog, 'find'>;
}

export function createAccessQuestions(deps: AccessQuestionsDeps) {
  const { users, clients, roles, denials } = deps;
  const customNames = () => roles.list().map(({ id }) => id);

  return {
    /** @throws {ProblemError} `not_found`, `invalid_request` for a principal that there is not */
    async explainCall(method: string, path: string, asked: PrincipalQuery): Promise<ExplainedCall> {
      const { roles: held, scopes } = await principalOf(asked, deps);
      return { method, path, roles: held, scopes, ...explainNow(method, path, { roles: held, scopes }) };
    },
    /** @throws {ProblemError} `not_found` for a decision that is not known, or not any more */
    async explainDecision(id: string): Promise<ExplainedDenial> {
      const found = await denials.find(id);
      if (!found) throw unknownDecision(id);
      const { caller, at, ...denial } = found;
      const now = caller && isByPolicy(denial) ? explainNow(denial.method, denial.path, caller) : null;
      const username = caller && (await users.find(caller.subject))?.username;
      return {
        ...denial,
        at: new Date(at).toISOString(),
        caller: caller ? { ...caller, ...(username !== undefined && { username }) } : null,
        missing: denial.code === 'insufficient_scope' ? (denial.rule?.permission ?? null) : null,
        ...(await changeFor(found, now, { clients, users, explain: explainNow })),
        now,
      };
    },
    /**
     * @param asked    who; without anybody, every role
     * @param members  as far as they are known
     * @throws {ProblemError} `not_found`, `invalid_request`
     */
    matrix: async (asked: PrincipalQuery, members: readonly MemberStatus[]): Promise<Matrix> =>
      createMatrix(await subjectsOf(asked), roleBook(), members),
  };

  /** Roles may have changed since the last question. */
  function explainNow(...call: Parameters<ReturnType<typeof createExplain>>): Explanation {
    return createExplain(roleBook(), customNames)(...call);
  }

  function roleBook(): RoleBook {
    return createRoleBook({ customPermissions: roles.permissionsOf, onChange: () => () => {} });
  }

  async function subjectsOf(asked: PrincipalQuery): Promise<readonly MatrixSubject[]> {
    const { user, client, roles: asRoles = [], scopes = [] } = asked;
    const name = user ?? client;
    if (name !== undefined || scopes.length > 0) {
      return [{ name: name ?? [...asRoles, ...scopes].join(' '), ...(await principalOf(asked, deps)) }];
    }
    const wanted = asRoles.length > 0 ? asRoles : roles.names();
    const { roles: named } = await principalOf({ roles: wanted }, deps);
    return [...new Set(named)].map((role) => ({ name: role, roles: [role], scopes: [] }));
  }
}

const policyCodes: ReadonlySet<string> = new Set(['insufficient_scope', 'not_found', 'method_not_allowed']);

/** Whether method, path and token alone decided: a member that is not there is not found either, but behind a rule. */
function isByPolicy({ code, rule, path }: Pick<FoundDenial, 'code' | 'rule' | 'path'>): boolean {
  const isWhole = !path.endsWith('…');
  return policyCodes.has(code) && isWhole && !(code === 'not_found' && rule);
}

export function unknownDecision(id: string): ProblemError {
  if (placeOf(id)?.isElsewhere) {
    return new ProblemError(
      problems.notFound,
      'A member proxy in a process of its own has refused this, and the console does not know of it yet: it reports its denials within seconds while the two can talk, and forgets them after a day. That process has it in its log, in the line with this decisionId.',
    );
  }
  return new ProblemError(
    problems.notFound,
    'No denial of this id is known. They are kept for a day, the newest ten thousand; of a caller who is denied more than 20 times a second, only some.',
  );
}
