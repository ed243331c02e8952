/** What the panel of a call says: the decision, denials of such calls, where a group is off, and what a change would open. */

import { ProblemError } from '../../../platform/errors.ts';
import type { ShownAnswer } from '../../../views/management/access/effective/call-panel.tsx';
import type { ShownEntry } from '../../../views/management/observe/audit.tsx';
import { textFor } from '../../http/display/presentation.ts';
import type { ListAnswer } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { shellWord } from '../ways/change-ways.ts';
import { phraseOf } from './granted-access.ts';
import { groupOff } from './group-off.ts';
import { type AskedCall, type Caller, type ExplainedCall, explainCall, openingOf } from './open-call.ts';

/** So many days are looked back at for what a change would have let through. */
export const whatIfDays = 7;

export interface Usage {
  readonly used: readonly {
    readonly permission: string;
    readonly names: readonly string[] | null;
    readonly isAllowed: boolean;
    readonly calls: number;
    readonly firstAt: string;
    readonly lastAt: string;
    readonly decisionId: string | null;
  }[];
}

interface WhatIf {
  readonly gains: readonly { readonly calls: number }[];
}

type Asking = readonly [tools: PageTools, ctx: PageContext];

/** @throws {ProblemError} for a caller whom there is not, and what no call is */
export async function panelOf(
  tools: PageTools,
  ctx: PageContext,
  caller: Caller,
  call: AskedCall,
): Promise<ShownAnswer> {
  const explained = await explainCall(tools, ctx, caller, call);
  const { isAllowed, because, wouldDo, muted = null } = explained;
  const asking = [tools, ctx] as const;
  const denials = isAllowed ? undefined : await denialsOf(asking, caller, call, explained);
  const may = await tools.mayRun(ctx, ['muteDenials', 'tryClient', 'callAsClient']);
  const isTried = isAllowed && caller.kind === 'client' && call.method === 'GET';
  return {
    isAllowed,
    because,
    muted,
    denials,
    off: await groupOff(tools, ctx, { method: call.method, rule: explained.rule }),
    story: denials?.decisionId ? await storyOf(asking, denials.decisionId) : undefined,
    opens: await opensOf(asking, caller, call),
    mayMute: may.has('muteDenials') && (muted !== null || (!isAllowed && wouldDo !== null)),
    mayTry: isTried && may.has('tryClient') && may.has('callAsClient'),
  };
}

async function opensOf([tools, ctx]: Asking, caller: Caller, call: AskedCall): Promise<ShownAnswer['opens']> {
  const opening = await openingOf(tools, ctx, caller, call, { [caller.kind]: caller.id });
  if (!opening) return undefined;
  const { given, scopes, act } = opening;
  const may = await tools.mayRun(ctx, [act.operation]);
  const flags = scopes ? ['--add-scope', given] : ['--add-role', given];
  return {
    title: act.title,
    given,
    what: scopes && phraseOf([given], textFor(ctx)),
    command: ['npx console', caller.kind, 'update', ...[caller.id, ...flags].map(shellWord)].join(' '),
    isOffered: may.has(act.operation),
    passed: scopes && (await passedBy([tools, ctx], caller.id, scopes)),
    days: whatIfDays,
  };
}

/** How many calls of the last days would have got through; undefined where that is not counted. */
export async function passedBy(
  [tools, ctx]: Asking,
  client: string,
  scopes: readonly string[],
): Promise<number | undefined> {
  const body = { client, change: { scopes }, days: whatIfDays };
  const found = await orNothing(tools.run<WhatIf>(ctx, 'askWhatIf', { body }));
  return found?.body.gains.reduce((sum, { calls }) => sum + calls, 0);
}

/** Calls of this caller that need the same, of the same map or queue where names were told apart. */
async function denialsOf(
  [tools, ctx]: Asking,
  { kind, id }: Caller,
  { path }: AskedCall,
  { rule }: ExplainedCall,
): Promise<ShownAnswer['denials']> {
  const found = await orNothing(
    tools.run<Usage>(ctx, 'readAccessUsage', { query: { [kind]: id }, isBrief: true }),
  );
  const name = structureIn(path);
  const rows = (found?.body.used ?? []).filter(
    ({ permission, names, isAllowed }) =>
      !isAllowed &&
      permission === rule?.permission &&
      (name === undefined || names === null || names.includes(name)),
  );
  if (rows.length === 0) return undefined;
  const [latest] = [...rows].sort((one, other) => (one.lastAt < other.lastAt ? 1 : -1));
  return {
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    firstAt: rows.map(({ firstAt }) => firstAt).sort()[0]!,
    decisionId: latest!.decisionId,
  };
}

function structureIn(path: string): string | undefined {
  const [, name] = /\/(?:maps|queues)\/([^/?]+)/.exec(path) ?? [];
  try {
    return name && decodeURIComponent(name);
  } catch {
    return name;
  }
}

async function storyOf([tools, ctx]: Asking, id: string): Promise<readonly ShownEntry[] | undefined> {
  const found = tools.run<ListAnswer<ShownEntry>>(ctx, 'traceAuditEntries', { params: { id } });
  return (await orNothing(found))?.body.items;
}

/** Without it the page says less. */
export async function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
