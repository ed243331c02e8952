/** A user in words. */
import { type HoldView, type OwnerView, ownership } from '../operations/owners.ts';
import { fields } from '../runner/output.ts';

/** As the API shows it. */
export interface UserView {
  readonly id: string;
  readonly subject: string;
  readonly displayName: string | null;
  readonly email: string | null;
  readonly roles: readonly string[];
  /** Absent in what a console of an earlier release answers. */
  readonly eligibleRoles?: readonly string[];
  readonly origin: { readonly provider: string | null; readonly subject: string | null };
  readonly status: 'active' | 'invited' | 'disabled';
  readonly lastSignInAt: string | null;
  readonly createdAt: string;
  readonly owner: OwnerView;
  readonly hold: HoldView | null;
}

export const headings = ['NAME', 'ROLES', 'STATE', 'SIGNS IN AT', 'E-MAIL'];

export function rowOf({ id, roles, status, origin, email }: UserView): readonly string[] {
  return [id, rolesInWords(roles), status, origin.provider ?? 'here', email ?? ''];
}

export function describe(user: UserView): string {
  const { id, subject, displayName, email, roles, eligibleRoles = [], status } = user;
  const { origin, lastSignInAt, createdAt } = user;
  return fields({
    name: id,
    'in full': displayName ?? undefined,
    id: subject,
    'e-mail': email ?? undefined,
    roles: rolesInWords(roles),
    'may take': eligibleRoles.join(', ') || undefined,
    state: status,
    ...ownership(user),
    'signs in at': origin.provider ?? 'this console',
    'last sign-in': lastSignInAt ?? 'never',
    added: createdAt,
  });
}

export function rolesInWords(roles: readonly string[]): string {
  return roles.join(', ') || 'no role';
}
