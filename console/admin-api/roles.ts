/** `/api/v1/roles`: the same roles, rules and words as `npx console role`. */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import { versionOf, viewOfRole } from '../accounts/custom-role-form.ts';
import type { CustomRoles, NewRole } from '../accounts/custom-roles.ts';
import { parseBody } from '../http/body-schema.ts';
import type { RoleRecord } from '../storage/records.ts';
import { readJson } from './json-body.ts';
import { type Answer, createResource, type ResourceDeps, type Routes, readQuery } from './resource.ts';

export interface RolesDeps extends ResourceDeps {
  readonly roles: CustomRoles;
}

export const rolesPath = '/api/v1/roles';

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

export function createRoles(deps: RolesDeps) {
  const form = { path: rolesPath, id: /[A-Za-z][A-Za-z0-9_.-]{0,63}/, routes: createRoutes(deps.roles) };
  return createResource(form, deps);
}

function createRoutes(roles: CustomRoles): Routes {
  const view = (role: RoleRecord) => viewOfRole(role, roles.usersWith(role.id));
  const shown = (role: RoleRecord, status: 200 | 201 = 200): Answer => ({
    status,
    body: view(role),
    target: role.id,
    headers: { ETag: `"${versionOf(role)}"` },
  });
  return {
    '': {
      GET: {
        async answer(_id, req) {
          readQuery(req, []);
          return { status: 200, body: roles.list().map(view), target: '' };
        },
      },
      POST: {
        event: 'role.added',
        answer: async (_id, req) =>
          shown(await roles.add(parseBody(newRole, await readJson(req)) as NewRole), 201),
      },
    },
    '/{id}': {
      GET: { answer: async (name) => shown(roles.get(name)) },
      PATCH: {
        event: 'role.updated',
        async answer(name, req) {
          const change = parseBody(changedRole, await readJson(req));
          return shown(await roles.update(name, change as Partial<NewRole>, versionIn(req)));
        },
      },
      DELETE: {
        event: 'role.removed',
        async answer(name, req) {
          await roles.remove(name, versionIn(req));
          return { status: 204, target: name };
        },
      },
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
