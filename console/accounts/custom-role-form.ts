/** What a custom role may look like, and how it is shown. */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { RoleRecord } from '../storage/records.ts';
import { isCustomRoleName, roles } from './roles.ts';

const mostPermissions = 100;
const longestPermission = 256;
const longestDescription = 200;

/** @throws {ProblemError} `invalid_request` */
export function checkName(name: string): void {
  if (isCustomRoleName(name)) return;
  throw invalid(
    'The name of a role has 1 to 64 letters (a to z), digits and the characters _ . - and starts with a letter; ' +
      `it is none that could be taken for ${roles.join(', ')}, and not none or constructor.`,
  );
}

/** @throws {ProblemError} `invalid_request`, which tells what permissions there are */
export function checkPermissions(
  given: readonly string[],
  isPermission: (text: string) => boolean,
): readonly string[] {
  const permissions = [...new Set(given)];
  if (permissions.length === 0) throw invalid('A role needs a permission, such as svc:health:read.');
  if (permissions.length > mostPermissions) {
    throw invalid(`A role has at most ${mostPermissions} permissions.`);
  }
  if (permissions.every((text) => text.length <= longestPermission && isPermission(text))) return permissions;
  throw invalid(
    'A permission is svc:<group>:read or :write with group cluster, health, data, wan, cp or persistence, ' +
      'svc:map:<name>:read or :write, svc:queue:<name>:offer, :poll or :size, where <name> may end in *, or ' +
      'api:<object>:read or :write with an object of the admin API or *.',
  );
}

/** @param description  empty: none. @throws {ProblemError} `invalid_request` */
export function describedBy(description: string | undefined): Pick<RoleRecord, 'description'> {
  if (!description) return {};
  if (description.length > longestDescription || /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(description)) {
    throw invalid(`The description of a role is one line of at most ${longestDescription} characters.`);
  }
  return { description };
}

function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}
