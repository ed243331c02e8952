/**
 * Counts each call that is over, on the path of every call: two or three looks into maps and an addition. What has
 * been counted is taken now and then, and written by others (docs/least-privilege.md#what-is-counted).
 */
import type { Rule } from '../../member-proxy/authorization/rule-table.ts';
import { structureNames } from '../../member-proxy/authorization/rules.ts';
import type { UsedCall } from '../../member-proxy/proxy.ts';
import { createPauses } from '../../platform/async/pauses.ts';
import { problems } from '../../platform/errors.ts';
import { otherCallers, otherNames, textOfNames, tokenRows, type UsageRow, type UsedBy } from './usage-row.ts';

/** A call of the admin API. */
export interface UsedOperation {
  readonly kind: 'user' | 'client';
  readonly id: string;
  /** `api:<object>:read`, or `:write`. */
  readonly permission: string;
  readonly isAllowed: boolean;
  readonly roles: readonly string[];
  /** Of a machine's token. */
  readonly scopes: readonly string[];
}

interface Tally {
  count: number;
  first: number;
  last: number;
  decisionId: string | null;
}

/** By what it takes, and then by name. */
type Tallies = Map<Rule | string | undefined, Map<string, Tally>>;

interface Used {
  /** Whose tallies were added to last: nothing of a token is looked at twice in a row. */
  token: object | undefined;
  /** What that token has asked for, each with its time. */
  asked: readonly Tally[];
  readonly scopes: Map<string, Tally>;
  readonly allowed: Tallies;
  readonly refused: Tallies;
  /** Calls as an administrator by a token that has asked for no role. */
  administrator: Tally | undefined;
  isAdministrator: boolean;
}

/** Rows that wait to be taken: then names are not told apart. */
const mostWaiting = 40_000;

/** @param now  epoch milliseconds */
export function createUsageCounter(now: () => number = Date.now) {
  let clients = new Map<string, Used>();
  let people = new Map<string, Used>();
  let rows = 0;

  return {
    /** Calls whose caller nobody knows are no use of anything. */
    count(call: UsedCall): void {
      const { caller, rule, denial } = call;
      if (caller === undefined) return;
      const { subject } = caller;
      const used = usedBy(subject === caller.clientId ? clients : people, subject);
      const at = now();
      seeToken(used, caller, caller, at);
      const isAllowed = rule !== undefined && denial?.code !== problems.insufficientScope.code;
      const tally = tallyOf(isAllowed ? used.allowed : used.refused, rule, nameOf(call), at);
      add(tally, at);
      if (!isAllowed) tally.decisionId = denial?.decisionId ?? null;
    },
    countOperation(operation: UsedOperation): void {
      const { kind, id, permission, isAllowed, scopes } = operation;
      const used = usedBy(kind === 'client' ? clients : people, id);
      const at = now();
      seeToken(used, scopes, operation, at);
      add(tallyOf(isAllowed ? used.allowed : used.refused, permission, '', at), at);
    },
    /** What waits to be taken. */
    size: () => rows,
    /** All that was counted since the last time. */
    async take(): Promise<readonly UsageRow[]> {
      const taken = [
        ['client', clients],
        ['user', people],
      ] as const;
      clients = new Map();
      people = new Map();
      rows = 0;
      const pause = createPauses(1);
      const all: UsageRow[] = [];
      for (const [kind, callers] of taken) {
        for (const [id, used] of callers) {
          addRows(all, id === otherCallers ? otherCallers : `${kind}:${id}`, used);
          await pause();
        }
      }
      return all;
    },
  };

  function usedBy(callers: Map<string, Used>, id: string): Used {
    let used = callers.get(id);
    if (used === undefined) {
      const key = rows < mostWaiting ? id : otherCallers;
      used = callers.get(key) ?? newUsed();
      callers.set(key, used);
    }
    return used;
  }

  function seeToken(
    used: Used,
    token: object,
    { roles, scopes }: { readonly roles: readonly string[]; readonly scopes: readonly string[] },
    at: number,
  ): void {
    if (used.token !== token) {
      used.token = token;
      used.asked = scopes.map((scope) => tallyIn(used.scopes, scope, at));
      used.isAdministrator = roles.includes('Admin');
    }
    for (const tally of used.asked) add(tally, at);
    if (used.isAdministrator) {
      used.administrator ??= newTally(at);
      add(used.administrator, at);
    }
  }

  function tallyOf(tallies: Tallies, needed: Rule | string | undefined, name: string, at: number): Tally {
    let names = tallies.get(needed);
    if (names === undefined) {
      names = new Map();
      tallies.set(needed, names);
    }
    return names.get(name) ?? tallyIn(names, rows < mostWaiting ? name : otherNames, at);
  }

  function tallyIn(tallies: Map<string, Tally>, name: string, at: number): Tally {
    const found = tallies.get(name);
    if (found !== undefined) return found;
    const tally = newTally(at);
    tallies.set(name, tally);
    rows += 1;
    return tally;
  }
}

function newUsed(): Used {
  return {
    token: undefined,
    asked: [],
    scopes: new Map(),
    allowed: new Map(),
    refused: new Map(),
    administrator: undefined,
    isAdministrator: false,
  };
}

function newTally(at: number): Tally {
  return { count: 0, first: at, last: at, decisionId: null };
}

function add(tally: Tally, at: number): void {
  tally.count += 1;
  tally.last = at;
}

/** Where names of maps and of queues begin: `/svc/rest/maps/`, `/svc/rest/queues/`. */
const beginnings = { map: 15, queue: 17 } as const;

/** The name of a plain path is what stands there; others are read as they were decided on. */
function nameOf({ rule, target, req }: UsedCall): string {
  if (rule?.structure === undefined || target === undefined) return '';
  const { path, sent } = target;
  if (path.length !== sent.length || path.includes('%') || path.includes('+')) {
    return textOfNames(structureNames(rule, req.method!, target));
  }
  const from = beginnings[rule.structure.kind];
  const end = path.indexOf('/', from);
  const name = end < 0 ? path.slice(from) : path.slice(from, end);
  return name.length > 200 ? textOfNames([name]) : name;
}

function addRows(all: UsageRow[], who: UsedBy, used: Used): void {
  for (const [tallies, isAllowed] of [
    [used.allowed, true],
    [used.refused, false],
  ] as const) {
    for (const [needed, names] of tallies) {
      const [permission, structure] = neededOf(needed);
      for (const [name, tally] of names) all.push(rowOf(who, permission, structure, name, isAllowed, tally));
    }
  }
  for (const [scope, tally] of used.scopes) all.push(rowOf(who, '', tokenRows.asked, scope, true, tally));
  if (used.administrator) all.push(rowOf(who, '', tokenRows.administrator, '', true, used.administrator));
}

function neededOf(needed: Rule | string | undefined): readonly [string, string] {
  if (needed === undefined) return ['', ''];
  if (typeof needed === 'string') return [needed, ''];
  const { permission, structure } = needed;
  return [permission, structure ? `${structure.kind}:${structure.action}` : ''];
}

function rowOf(
  who: UsedBy,
  permission: string,
  structure: string,
  name: string,
  isAllowed: boolean,
  { count, first, last, decisionId }: Tally,
): UsageRow {
  return [who, permission, structure, name, isAllowed, count, first, last, decisionId];
}
