/** Identity providers as text. */
import type { ProviderView } from '../../admin-api/identity-provider-view.ts';
import { ownership } from '../operations/owners.ts';
import { fields } from '../runner/output.ts';

export const headings = ['ID', 'KIND', 'STATE', 'ACCOUNTS', 'METADATA READ', 'NAME'];

export function rowOf(view: ProviderView): readonly string[] {
  const { id, readable, kind, name, enabled, linkedUsers, metadataReadAt } = view;
  const state = readable ? (enabled ? 'active' : 'disabled') : 'cannot be read';
  return [id, kind ?? '', state, String(linkedUsers), metadataReadAt ?? '-', name ?? ''];
}

export function describeProvider(view: ProviderView): string {
  const { id, readable, problem, kind, name, enabled, settings, position, lastFailure } = view;
  if (!readable) {
    return fields({ id, state: 'cannot be read: nobody signs in by it', problem: problem ?? undefined });
  }
  return fields({
    id,
    name: name ?? undefined,
    kind: kind ?? undefined,
    state: enabled ? 'active' : 'disabled',
    ...ownership(view),
    position: position === null ? undefined : String(position),
    accounts: String(view.linkedUsers),
    'last sign-in': view.lastSignInAt ?? 'never',
    'last failure': lastFailure ? `${lastFailure.at}: ${lastFailure.reason}` : undefined,
    ...documents(view),
    'role rules': view.roleRules,
    'default role': view.defaultRole ?? 'none: whom no rule matches is refused',
    'callback address': view.callbackUrl ?? undefined,
    'test sign-in': view.testUrl ?? undefined,
    ...Object.fromEntries(
      Object.entries(settings ?? {}).map(([setting, value]) => [spelled(setting), shown(value)]),
    ),
    added: view.createdAt ?? undefined,
  });
}

/** When what it publishes of itself was last read; absent where nothing is, or nobody has needed it yet. */
function documents({ metadataReadAt, metadataFailure, keysReadAt }: ProviderView) {
  return {
    'metadata read': metadataReadAt ?? undefined,
    'metadata failure': metadataFailure ? `${metadataFailure.at}: ${metadataFailure.reason}` : undefined,
    'keys read': keysReadAt ?? undefined,
  };
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
