/** The smallest change that lets a caller make one call, as an act that is asked about first. */
import type { ShownMute } from '../../../views/management/observe/mute.tsx';
import { textFor } from '../../http/display/presentation.ts';
import type { Form } from '../../http/form.ts';
import type { Act } from '../acts.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { groupOff } from './group-off.ts';

/** A machine client, or a person by name. */
export interface Caller {
  readonly kind: 'client' | 'user';
  readonly id: string;
}

export interface AskedCall {
  readonly method: string;
  readonly path: string;
}

/** As the admin API explains a call. */
export interface ExplainedCall {
  readonly isAllowed: boolean;
  readonly because: string;
  readonly rule: {
    readonly permission: string;
    readonly template?: string;
    /** Of endpoints, which a member switches as a whole. */
    readonly group?: string;
  } | null;
  /** Each alone would do, the narrowest first. */
  readonly muted?: ShownMute | null;
  readonly wouldDo: { readonly scopes: readonly string[]; readonly roles: readonly string[] } | null;
}

/** What is to be changed, and how. */
export interface Opening {
  readonly act: Act;
  readonly params: Readonly<Record<string, string>>;
  /** The scopes that it gets, or one of the roles that would do. */
  readonly given: string;
  /** What the caller has, and what it would have. */
  readonly scopes?: readonly string[];
}

export function explainCall(
  tools: PageTools,
  ctx: PageContext,
  { kind, id }: Caller,
  { method, path }: AskedCall,
): Promise<ExplainedCall> {
  const query = { method, path, [kind]: id };
  return tools.run<ExplainedCall>(ctx, 'explainAccess', { query }).then(({ body }) => body);
}

/**
 * @param hidden  what the form of the act says besides
 * @returns undefined where nothing is closed, nothing opens it, or it is off at every member
 */
export async function openingOf(
  tools: PageTools,
  ctx: PageContext,
  caller: Caller,
  call: AskedCall,
  hidden: Readonly<Record<string, string>> = {},
): Promise<Opening | undefined> {
  const { isAllowed, wouldDo, rule } = await explainCall(tools, ctx, caller, call);
  if (isAllowed || !wouldDo) return undefined;
  if ((await groupOff(tools, ctx, { method: call.method, rule }))?.isEverywhere) return undefined;
  return caller.kind === 'client'
    ? scopeOpening(tools, ctx, { caller, call, hidden, scope: wouldDo.scopes[0] })
    : roleOpening(tools, ctx, { caller, call, hidden, roles: wouldDo.roles });
}

interface Wanted {
  readonly caller: Caller;
  readonly call: AskedCall;
  readonly hidden: Readonly<Record<string, string>>;
}

async function scopeOpening(
  tools: PageTools,
  ctx: PageContext,
  { caller: { id }, call, hidden, scope }: Wanted & { readonly scope: string | undefined },
): Promise<Opening | undefined> {
  if (scope === undefined) return undefined;
  const t = textFor(ctx);
  const params = { client: id };
  const found = await tools.run<{ readonly scopes: readonly string[] }>(ctx, 'readClient', { params });
  const scopes = [...found.body.scopes, scope];
  const act: Act = {
    ...common(call, hidden),
    operation: 'updateClient',
    title: t('effective.openFor', { id }),
    effects: [
      t('effective.mayAskToo', { id, scope, call: `${call.method} ${call.path}` }),
      t('effective.tokensStay'),
    ],
    button: t('effective.openFor', { id }),
    // What has changed since it was read is not overwritten.
    requestOf: () => ({ body: { scopes }, ifMatch: found.version }),
  };
  return { act, params, given: scope, scopes };
}

async function roleOpening(
  tools: PageTools,
  ctx: PageContext,
  { caller: { id }, call, hidden, roles }: Wanted & { readonly roles: readonly string[] },
): Promise<Opening | undefined> {
  if (roles.length === 0) return undefined;
  const t = textFor(ctx);
  const params = { user: id };
  const found = await tools.run<{ readonly roles: readonly string[] }>(ctx, 'readUser', { params });
  const chosen = (form: Form) => roles.find((role) => role === form.get('role')) ?? roles[0]!;
  const act: Act = {
    ...common(call, hidden),
    operation: 'updateUser',
    title: t('effective.openFor', { id }),
    effects: [
      t('effective.getsRole', { id, call: `${call.method} ${call.path}` }),
      t('effective.countsWithNextToken'),
    ],
    button: t('effective.openFor', { id }),
    selects: [
      {
        name: 'role',
        label: t('effective.narrowestFirst'),
        value: roles[0]!,
        options: roles.map((role) => ({ value: role, label: role })),
      },
    ],
    requestOf: (form) => ({
      body: { roles: [...new Set([...found.body.roles, chosen(form)])] },
      ifMatch: found.version,
    }),
  };
  return { act, params, given: roles[0]! };
}

function common({ method, path }: AskedCall, hidden: Readonly<Record<string, string>>) {
  return { name: 'open', hidden: { ...hidden, method, path } } as const;
}
