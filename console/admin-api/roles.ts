/** `/api/v1/roles`: the same roles, rules and words as `npx console role`. */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import { versionOf, viewOfRole } from '../accounts/custom-role-form.ts';
import type { CustomRoles, NewRole } from '../accounts/custom-roles.ts';
import type { RoleRecord } from '../storage/records.ts';
import type { Answer, ApiCall, BodyCall } from './router.ts';

const permissions = z.array(z.string().max(256)).max(100);
const description = z.string().max(200);
export const newRole = z.strictObject({
  name: z.string().max(64),
  permissions,
  description: description.exactOptional(),
});
export const changedRole = z
  .strictObject({ permissions: permissions.exactOptional(), description: description.exactOptional() })
  .refine((change) => Object.keys(change).length > 0, 'Give at least one member');

export function createRoles(roles: CustomRoles) {
  const view = async (role: RoleRecord) => viewOfRole(role, await roles.holdersOf(role.id));
  const shown = async (role: RoleRecord, status: 200 | 201 = 200): Promise<Answer> => ({
    status,
    body: await view(role),
    target: role.id,
    headers: { ETag: `"${versionOf(role)}"` },
  });
  return {
    list: async (): Promise<Answer> => ({ status: 200, body: await Promise.all(roles.list().map(view)) }),
    show: async ({ id }: ApiCall) => shown(roles.get(id)),
    add: async ({ body }: BodyCall<z.infer<typeof newRole>>) => shown(await roles.add(body as NewRole), 201),
    update: async ({ id, body, req }: BodyCall<z.infer<typeof changedRole>>) =>
      shown(await roles.update(id, body as Partial<NewRole>, versionIn(req))),
    async remove({ id, req }: ApiCall): Promise<Answer> {
      await roles.remove(id, versionIn(req));
      return { status: 204, target: id };
    },
  };
}

/** One strong entity tag, or `*`; undefined without the field (RFC 9110 §13.1.1). @throws {ProblemError} `invalid_request` */
function versionIn({ headers }: IncomingMessage): string | undefined {
  const field = headers['if-match'];
  if (field === undefined || field === '*') return undefined;
  const version = /^"([\w-]{1,64})"$/.exec(field)?.[1];
  if (version !== undefined) return version;
  throw new ProblemError(problems.invalidRequest, 'If-Match takes the ETag of an answer, or *.');
}
