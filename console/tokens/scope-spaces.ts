/** Spaces between scopes: RFC 6749 §3.3 has exactly one, and templates and people leave more behind. */
import type { Context } from 'koa';
import type { Form } from '../http/form.ts';

/** With one space between scopes and none around them. Spaces alone stay what they are: no scope, and refused as such. */
export function singleSpaced(scope: string): string {
  if (!/^ | {2}| $/.test(scope)) return scope;
  return scope.split(' ').filter(Boolean).join(' ') || scope;
}

export function withScopeSpaced(form: Form): Form {
  const scope = form.get('scope');
  const spaced = scope === undefined ? undefined : singleSpaced(scope);
  return spaced === scope ? form : new Map([...form, ['scope', spaced!]]);
}

/** The same for the query of an authorization request; a repeated one is left for its error. */
export function spaceScope(ctx: Context): void {
  const { scope } = ctx.query;
  if (typeof scope !== 'string') return;
  const spaced = singleSpaced(scope);
  if (spaced !== scope) ctx.query = { ...ctx.query, scope: spaced };
}
