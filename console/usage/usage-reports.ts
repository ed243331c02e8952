/** What somebody has, compared with what they use of it, and what would be enough. */
import { builtInPermissions } from '../../member-proxy/authorization/permissions.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import { principalOf } from '../access/principal.ts';
import type { CustomRoles } from '../accounts/custom-roles.ts';
import { roles as builtInRoles, isRole } from '../accounts/roles.ts';
import type { Users } from '../accounts/users.ts';
import { isPermission } from '../clients/client-rules.ts';
import type { Clients } from '../clients/clients.ts';
import { denialReportsScope, revocationEventsScope } from '../clients/scopes.ts';
import type { ClientRecord, UserRecord } from '../storage/records.ts';
import { type Gathered, gather, shownCalls } from './gather.ts';
import { createDecide, type Principal } from './needs.ts';
import { smallerGrant } from './smaller-grant.ts';
import type { Usage } from './usage.ts';
import type { UsageRow } from './usage-row.ts';

export interface UsageReportsDeps {
  readonly usage: Pick<Usage, 'read' | 'gaps' | 'since' | 'settle' | 'mostDays'>;
  readonly users: Pick<Users, 'find' | 'findByName'>;
  readonly clients: Pick<Clients, 'find'>;
  readonly roles: Pick<CustomRoles, 'find' | 'names' | 'permissionsOf'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface AskedUsage {
  readonly client?: string | undefined;
  readonly user?: string | undefined;
  readonly role?: string | undefined;
  readonly days?: number | undefined;
}

/** Kinds of calls that an answer shows; of more, the most frequent. */
const mostShown = 500;

export function createUsageReports(deps: UsageReportsDeps) {
  const { usage, roles } = deps;
  const permissionsOf = (role: string) => builtInPermissions(role) ?? roles.permissionsOf(role);

  return {
    /**
     * @param terms  brief: of what is stored, which is seconds behind; else what was counted so far is written first
     * @throws {ProblemError} `not_found`, `invalid_request`
     */
    async usageOf(asked: AskedUsage, { isBrief }: { readonly isBrief: boolean }): Promise<object> {
      const given = [asked.client, asked.user, asked.role].filter((one) => one !== undefined);
      if (given.length !== 1) throw invalid('Give one of client, user and role.');
      const { days = 30 } = asked;
      if (!isBrief) await usage.settle();
      const answer =
        asked.client !== undefined
          ? await ofClient(asked.client, days)
          : asked.user !== undefined
            ? await ofUser(asked.user, days)
            : await ofRole(asked.role!, days);
      return { ...(await period(days)), ...answer };
    },
    /** Scopes of a machine client that its calls of these days have not needed. */
    async unusedOf(client: ClientRecord, days: number): Promise<readonly string[]> {
      const scopes = scopesEnough(client, await gatherOf(`client:${client.id}`, days));
      return client.scopes.filter((scope) => !scopes.includes(scope));
    },
    period,
    gatherOf,
    gatherOfRole,
    permissionsOf,
  };

  /** What the answer is about, and whether it is all that happened. */
  async function period(days: number) {
    const incomplete = await usage.gaps({ days });
    return {
      days: Math.min(days, usage.mostDays),
      since: new Date(usage.since(days)).toISOString(),
      isComplete: incomplete.length === 0,
      incomplete,
    };
  }

  async function ofClient(id: string, days: number) {
    const client = await deps.clients.find(id);
    if (!client) throw notFound('client', id);
    const gathered = await gatherOf(`client:${id}`, days);
    const isMachine = client.grantTypes.includes('client_credentials');
    const principal = isMachine ? await principalOf({ client: id }, deps) : nobody;
    const mayAsk = client.scopes;
    const scopes = isMachine ? scopesEnough(client, gathered) : null;
    return {
      subject: { kind: 'client', id },
      granted: { roles: principal.roles, permissions: mayAsk },
      ...shown(gathered, principal),
      asked: gathered.asked.map(([, , , scope, , calls, , last]) => ({
        scope,
        calls,
        lastAt: new Date(last).toISOString(),
      })),
      proposal: scopes && {
        permissions: scopes,
        roles: [],
        isSmaller: isSmaller(mayAsk, scopes) || principal.roles.length > 0,
        remove: mayAsk.filter((scope) => !scopes.includes(scope)),
        stillAsked: gathered.asked.map(([, , , scope]) => scope).filter((scope) => !scopes.includes(scope)),
      },
    };
  }

  /** What is not counted stays: who could tell whether it is used. */
  function scopesEnough(client: ClientRecord, { calls }: Gathered): readonly string[] {
    const uncounted = client.scopes.filter(
      (scope) =>
        !/^(?:svc|api|app):/.test(scope) || [revocationEventsScope, denialReportsScope].includes(scope),
    );
    return [...uncounted, ...enough(client.scopes, calls)].sort();
  }

  async function ofUser(name: string, days: number) {
    const user = (await deps.users.findByName(name)) ?? (await deps.users.find(name));
    if (!user) throw notFound('user', name);
    const gathered = await gatherOf(`user:${user.id}`, days);
    const principal = { roles: user.roles, scopes: [] };
    const permissions = enough([], gathered.calls);
    const kept = rolesEnough(user, gathered.calls);
    return {
      subject: { kind: 'user', id: user.username },
      granted: { roles: user.roles, permissions: permissionsOfRoles(user.roles) },
      ...shown(gathered, principal),
      asked: [],
      proposal: {
        permissions,
        roles: kept,
        isSmaller: kept.join(' ') !== user.roles.join(' '),
        remove: user.roles.filter((role) => !kept.includes(role)),
        stillAsked: [],
      },
    };
  }

  /** Whatever only a role opens, it stays for; and one smaller role in the place of a larger one. */
  function rolesEnough({ roles: own }: Pick<UserRecord, 'roles'>, calls: readonly UsageRow[]) {
    const used = calls.filter(([, , , , isAllowed]) => isAllowed);
    let kept = [...own].sort((one, other) => sizeOf(other) - sizeOf(one));
    for (const role of [...kept]) {
      const rest = kept.filter((other) => other !== role);
      const opens = decideAs([role]);
      const others = decideAs(rest);
      if (used.every((row) => opens(row) === 'closed' || others(row) === 'open')) kept = rest;
    }
    const smaller = [...roles.names()].sort((one, other) => sizeOf(one) - sizeOf(other));
    return kept.map((role) => {
      const opened = used.filter((row) => decideAs([role])(row) !== 'closed');
      const enoughBy = (name: string) => opened.every((row) => decideAs([name])(row) === 'open');
      return smaller.find((name) => sizeOf(name) < sizeOf(role) && enoughBy(name)) ?? role;
    });
  }

  async function ofRole(name: string, days: number) {
    if (!isRole(name) && !roles.find(name)) throw notFound('role', name);
    const { gathered, holders } = await gatherOfRole(name, days);
    const permissions = permissionsOfRoles([name]);
    const proposed = enough(permissions, gathered.calls);
    return {
      subject: { kind: 'role', id: name },
      holders,
      granted: { roles: [name], permissions },
      ...shown(gathered, { roles: [name], scopes: [] }),
      asked: [],
      proposal: {
        permissions: proposed,
        roles: [],
        isSmaller: isRole(name) || isSmaller(permissions, proposed),
        remove: permissions.filter((permission) => !proposed.includes(permission)),
        stillAsked: [],
      },
    };
  }

  function gatherOf(who: string, days: number): Promise<Gathered> {
    return gather(usage.read({ days, who }));
  }

  /** What all who have the role have called, as far as it opens it. */
  async function gatherOfRole(name: string, days: number) {
    const holders = new Map<string, boolean>();
    const decide = decideAs([name]);
    async function* ofHolders() {
      for await (const rows of usage.read({ days })) {
        // All are of one caller.
        const who = rows[0]?.[0] ?? '';
        if (!who.startsWith('user:')) continue;
        if (!holders.has(who)) {
          holders.set(who, (await deps.users.find(who.slice(5)))?.roles.includes(name) ?? false);
        }
        if (holders.get(who)) yield rows.filter((row) => decide(row) !== 'closed');
      }
    }
    const gathered = await gather(ofHolders());
    return { gathered, holders: [...holders.values()].filter(Boolean).length };
  }

  function enough(permissions: readonly string[], calls: readonly UsageRow[]): readonly string[] {
    const decides = new Map<string, ReturnType<typeof createDecide>>();
    return smallerGrant(
      calls.filter(([, , , , isAllowed]) => isAllowed),
      {
        permissions,
        isPermission,
        opens(scopes, row) {
          const key = scopes.join(' ');
          const decide = decides.get(key) ?? createDecide({ roles: [], scopes }, permissionsOf);
          decides.set(key, decide);
          return decide(row);
        },
      },
    );
  }

  function decideAs(held: readonly string[]) {
    return createDecide({ roles: held, scopes: [] }, permissionsOf);
  }

  function sizeOf(role: string): number {
    const permissions = permissionsOf(role) ?? [];
    if (permissions === 'all') return Number.POSITIVE_INFINITY;
    // A built-in role reads in the console, too.
    return permissions.length + (builtInRoles.includes(role as never) ? 1000 : 0);
  }

  function permissionsOfRoles(names: readonly string[]): readonly string[] {
    return [...new Set(names.flatMap((name) => shownPermissions(permissionsOf(name))))].sort();
  }

  function shown({ calls, administrator }: Gathered, principal: Principal) {
    const decide = createDecide(principal, permissionsOf);
    return {
      used: calls
        .slice(0, mostShown)
        .map((row) => ({ ...shownCalls(row), isOpenNow: decide(row) === 'open' })),
      usedKinds: calls.length,
      callsAsAdministrator: administrator?.[5] ?? 0,
    };
  }
}

const nobody: Principal = { roles: [], scopes: [] };

function shownPermissions(permissions: readonly string[] | 'all' | undefined): readonly string[] {
  return permissions === 'all' ? ['*'] : (permissions ?? []);
}

function isSmaller(before: readonly string[], after: readonly string[]): boolean {
  const now = new Set(after);
  return before.some((one) => !now.has(one));
}

function notFound(kind: string, name: string): ProblemError {
  return new ProblemError(problems.notFound, `There is no ${kind} ${JSON.stringify(name)}.`);
}

function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}
