/** Why a part cannot be shown, in the console's own words (RFC 9457, RFC 6750 §3.1). */

export interface Unread {
  /** 0: no answer at all. */
  readonly status: number;
  readonly detail: string;
  /** What the token lacks. */
  readonly scope?: string;
  /** The smallest role that opens it. */
  readonly role?: string;
  /** Finds the decision in the console's log. */
  readonly decisionId?: string;
}

/** Smallest role first; what none of the others opens needs an administrator. */
const opens: readonly (readonly [role: string, scopes: readonly string[]])[] = [
  ['MetricsViewer', ['svc:cluster:read', 'svc:health:read']],
  ['Viewer', ['svc:data:read', 'svc:wan:read', 'svc:cp:read']],
];

/** @param scope  as the console's challenge names it */
export function roleThatOpens(scope: string): string {
  return opens.find(([, scopes]) => scopes.includes(scope))?.[0] ?? 'Admin';
}

/** A member's own errors have no body; a switched-off endpoint group is one of those. */
export async function errorOf(response: Response): Promise<Unread> {
  const { status } = response;
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  if (!isProblem) {
    await response.body?.cancel();
    return { status, detail: memberSays(status) };
  }
  const problem = (await response.json()) as Record<string, unknown>;
  const scope = /scope="([^"]+)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1];
  return {
    status,
    detail: typeof problem.detail === 'string' ? problem.detail : String(problem.title),
    ...(typeof problem.decision_id === 'string' ? { decisionId: problem.decision_id } : {}),
    ...(scope === undefined ? {} : { scope, role: roleThatOpens(scope) }),
  };
}

function memberSays(status: number): string {
  if (status === 403) return 'The member has this group of endpoints switched off.';
  if (status === 400) return 'The member knows nothing of this name.';
  if (status === 503) return 'The queue is full.';
  return `The member answered ${status}.`;
}
