/** Identity providers as text. */
import type { ProviderView } from '../../federation/providers/view.ts';
import { fields } from '../runner/output.ts';

export function rowOf(view: ProviderView): readonly string[] {
  if (!view.readable) return [view.id, '', 'cannot be read', String(view.accounts), ''];
  return [view.id, view.kind, view.enabled ? 'active' : 'disabled', String(view.accounts), view.name];
}

export function describeProvider(view: ProviderView): string {
  if (!view.readable) {
    return fields({ id: view.id, state: 'cannot be read: nobody signs in by it', problem: view.problem });
  }
  return fields({
    id: view.id,
    name: view.name,
    kind: view.kind,
    state: view.enabled ? 'active' : 'disabled',
    accounts: String(view.accounts),
    'role rules': view.roleRules,
    'default role': view.defaultRole ?? 'none: whom no rule matches is refused',
    'callback address': view.callbackUrl ?? undefined,
    'test sign-in': view.testUrl ?? undefined,
    ...Object.fromEntries(
      Object.entries(view.settings).map(([name, value]) => [spelled(name), shown(value)]),
    ),
    added: view.createdAt,
  });
}

/** `clientId` → `client id`. */
function spelled(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function shown(value: unknown): string | readonly string[] | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((item) => String(shown(item)));
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${spelled(name)}: ${String(part)}`)
    .join('; ');
}
